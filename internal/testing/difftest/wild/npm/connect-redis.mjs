// A session store without scripts, on a client that speaks RESP3.
import { RedisStore } from 'connect-redis';
import session from 'express-session';
import { createClient } from 'redis';
import { call, host, port } from './say.mjs';

const client = await createClient({ url: `redis://${host}:${port}`, RESP: 3 }).connect();
const store = new RedisStore({ client, prefix: 'sess:', ttl: 3600, scanCount: 1000 });

const promised = (make) => () => new Promise((resolve, reject) => make((error, answer) => (error ? reject(error) : resolve(answer))));
const cookie = (minutes) => new session.Cookie({ maxAge: minutes * 60000 });
await call('get nothing', promised((done) => store.get('nobody', done)));
for (let i = 0; i < 25; i++) {
  await call('set', promised((done) => store.set(`s${i}`, { cookie: cookie(60), visits: i, name: 'é \u0000 "quoted"' }, done)));
}
await call('get', promised((done) => store.get('s3', done)), ({ visits, name }) => [visits, name]);
await call('touch', promised((done) => store.touch('s3', { cookie: cookie(120) }, done)));
await call('touch nothing', promised((done) => store.touch('nobody', { cookie: cookie(120) }, done)));
await call('set what has ended', promised((done) => store.set('s4', { cookie: cookie(-1) }, done)));
await call('destroy', promised((done) => store.destroy('s5', done)));
await call('length', promised((done) => store.length(done)));
await call('ids', promised((done) => store.ids(done)), (ids) => ids.sort());
await call('all', promised((done) => store.all(done)), (all) => all.map(({ id, visits }) => [id, visits]).sort());

const later = new RedisStore({ client, prefix: 'later:', ttl: () => 60, disableTouch: true });
await call('own time to live', promised((done) => later.set('a', { cookie: {} }, done)));
await call('clear', promised((done) => later.clear(done)));
await client.close();
