import RedisSMQ from 'rsmq';
import { call, connection } from './say.mjs';

const rsmq = new RedisSMQ({ ...connection, ns: 'rsmq' });
// Message ids begin with the time.
const told = (message) => [message.message, message.rc, Boolean(message.id)];

await call('create', () => rsmq.createQueueAsync({ qname: 'mail', vt: 3600, maxsize: 2048 }));
await call('create again', () => rsmq.createQueueAsync({ qname: 'mail' }));
await call('create a slow one', () => rsmq.createQueueAsync({ qname: 'slow', delay: 3600 }));
await call('queues', () => rsmq.listQueuesAsync(), (queues) => queues.sort());
const ids = [];
for (const message of ['one', 'two', 'é \u0000 "three"', 'four', '5']) {
  ids.push(await call('send', () => rsmq.sendMessageAsync({ qname: 'mail', message }), (id) => id.length));
}
await call('send too much', () => rsmq.sendMessageAsync({ qname: 'mail', message: 'x'.repeat(3000) }));
await call('send for later', () => rsmq.sendMessageAsync({ qname: 'slow', message: 'later' }), (id) => id.length);
await call('send to nobody', () => rsmq.sendMessageAsync({ qname: 'nobody', message: 'x' }));
await call('receive what is for later', () => rsmq.receiveMessageAsync({ qname: 'slow' }));
const first = await call('receive', () => rsmq.receiveMessageAsync({ qname: 'mail' }), told);
await call('receive', () => rsmq.receiveMessageAsync({ qname: 'mail', vt: 7200 }), told);
await call('pop', () => rsmq.popMessageAsync({ qname: 'mail' }), told);
await call('seen again at once', () => rsmq.changeMessageVisibilityAsync({ qname: 'mail', id: first.id, vt: 0 }));
await call('receive the next', () => rsmq.receiveMessageAsync({ qname: 'mail' }), told);
await call('seen again at once', () => rsmq.changeMessageVisibilityAsync({ qname: 'mail', id: first.id, vt: 0 }));
await call('pop the next', () => rsmq.popMessageAsync({ qname: 'mail' }), told);
await call('delete', () => rsmq.deleteMessageAsync({ qname: 'mail', id: ids[1] }));
await call('delete again', () => rsmq.deleteMessageAsync({ qname: 'mail', id: ids[1] }));
// Without hiddenmsgs: rsmq rounds the time to seconds, so that number depends on the moment.
const attributes = ({ vt, delay, maxsize, totalrecv, totalsent, msgs }) => [vt, delay, maxsize, totalrecv, totalsent, msgs];
await call('attributes', () => rsmq.getQueueAttributesAsync({ qname: 'mail' }), attributes);
await call('change attributes', () => rsmq.setQueueAttributesAsync({ qname: 'mail', vt: 60, delay: 10, maxsize: 4096 }), attributes);
for (let i = 0; i < 3; i++) await call('pop the rest', () => rsmq.popMessageAsync({ qname: 'mail' }), (m) => (m.id ? told(m) : m));
await call('change what is gone', () => rsmq.changeMessageVisibilityAsync({ qname: 'mail', id: first.id, vt: 0 }));
await call('delete a queue', () => rsmq.deleteQueueAsync({ qname: 'slow' }));
await call('delete it again', () => rsmq.deleteQueueAsync({ qname: 'slow' }));
rsmq.quit();
