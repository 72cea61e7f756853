import Bottleneck from 'bottleneck';
import Redis from 'ioredis';
import { call, connection as server, say } from './say.mjs';

const shared = new Bottleneck.IORedisConnection({ client: new Redis(server) });
await shared.ready;
const limiterOf = (options) => new Bottleneck({ connection: shared, clearDatastore: true, timeout: 3600000, ...options });

const steady = limiterOf({ id: 'steady', maxConcurrent: 2, reservoir: 6, reservoirRefreshAmount: 6, reservoirRefreshInterval: 3600000 });
await steady.ready();
await call('check', () => steady.check());
await call('check what is too heavy', () => steady.check(7));
await call('reservoir', () => steady.currentReservoir());
for (let i = 0; i < 3; i++) await call('schedule', () => steady.schedule({ id: `job ${i}` }, async (n) => n * 2, i));
await call('heavy', () => steady.schedule({ id: 'heavy', weight: 2 }, async () => 'done'));
await call('failing', () => steady.schedule(async () => { throw new Error('it went wrong'); }));
await call('reservoir', () => steady.currentReservoir());
await call('more', () => steady.incrementReservoir(10));
await call('less', () => steady.incrementReservoir(-3));
await call('running', () => steady.running());
await call('done', () => steady.done());
await call('queued everywhere', () => steady.clusterQueued());
await call('settings', () => steady.updateSettings({ maxConcurrent: 1, reservoir: 4 }), () => 'set');
await call('reservoir', () => steady.currentReservoir());
await call('too heavy for good', () => steady.schedule({ weight: 3 }, async () => 'never'));
await call('one after another', () => Promise.all([1, 2, 3].map((n) => steady.schedule(async () => n))));
await call('empty', () => steady.check());

const second = new Bottleneck({ connection: shared, id: 'steady', timeout: 3600000, maxConcurrent: 9 });
await second.ready();
await call('another of the same name', () => second.currentReservoir());
await call('check', () => second.check());

for (const [name, strategy] of Object.entries(Bottleneck.strategy).filter(([n]) => n !== 'BLOCK')) {
  const limiter = limiterOf({ id: `strategy ${name}`, maxConcurrent: 1, highWater: 1, strategy: Number(strategy) });
  await limiter.ready();
  limiter.on('dropped', (dropped) => say(`${name}: dropped`, dropped.args));
  let open;
  const gate = new Promise((resolve) => { open = resolve; });
  const started = new Promise((resolve) => limiter.once('executing', resolve));
  const all = [limiter.schedule({ priority: 5 }, () => gate)];
  await started;
  for (let i = 1; i <= 3; i++) {
    const settled = Promise.race(['queued', 'dropped'].map((event) => new Promise((resolve) => limiter.once(event, resolve))));
    const job = limiter.schedule({ priority: i === 3 ? 1 : 5 }, async (n) => n, i);
    job.catch(() => {}); // it is told below
    all.push(job);
    await settled;
  }
  open('first');
  await call(`${name}: settled`, () => Promise.allSettled(all), (results) => results.map((r) => r.value ?? r.reason?.message));
}

const blocking = limiterOf({ id: 'block', maxConcurrent: 1, minTime: 1, highWater: 0, strategy: Bottleneck.strategy.BLOCK, penalty: 3600000 });
await blocking.ready();
await call('block', () => blocking.schedule(async () => 'ran'));
await call('block: running', () => blocking.running());

const growing = limiterOf({ id: 'growing', reservoir: 0, reservoirIncreaseAmount: 5, reservoirIncreaseInterval: 3600000, reservoirIncreaseMaximum: 7 });
await growing.ready();
await call('growing', () => growing.currentReservoir());
await call('check', () => growing.check());

const expiring = limiterOf({ id: 'expiring', maxConcurrent: 1, trackDoneStatus: true });
await expiring.ready();
await call('a job that takes too long', () => expiring.schedule({ id: 'slow', expiration: 50 }, () => new Promise(() => {})));
await call('a job after it', () => expiring.schedule({ id: 'next' }, async () => 'ran'));
await call('counts', () => expiring.counts());

const group = new Bottleneck.Group({ connection: shared, id: 'group', maxConcurrent: 1, reservoir: 3, timeout: 3600000, clearDatastore: true });
for (const key of ['a', 'b', 'a']) await call(`group ${key}`, () => group.key(key).schedule(async () => key));
await call('group reservoir', () => group.key('a').currentReservoir());
await call('keys', () => group.clusterKeys(), (keys) => keys.sort());
await call('delete', () => group.deleteKey('a'));
await call('keys', () => group.clusterKeys(), (keys) => keys.sort());

// The limiter sends a sign of life, and the group forgets a key that is not used, both by timers of their own.
const beating = limiterOf({ id: 'beating', heartbeatInterval: 20, reservoir: 5 });
await beating.ready();
const brief = new Bottleneck.Group({ connection: shared, id: 'brief', timeout: 100, clearDatastore: true });
await new Promise((resolve) => setTimeout(resolve, 25)); // so that it does not look, every 50 ms, just when the key ends
await call('brief', () => brief.key('x').schedule(async () => 'ran'));
while (brief.keys().length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
await call('brief keys', () => brief.clusterKeys());

await call('publish', () => steady.publish('hello'), () => 'published');
await call('stop', () => steady.stop(), () => 'stopped');
await call('schedule after the stop', () => steady.schedule(async () => 'never'));
await group.disconnect();
await brief.disconnect();
for (const limiter of [beating, steady, second, blocking, growing, expiring]) await limiter.disconnect();
await shared.disconnect();
process.exit(0);
