import Redis from 'ioredis';
import { RedisStore } from 'rate-limit-redis';
import { call, connection } from './say.mjs';

const io = new Redis(connection);
const store = new RedisStore({ sendCommand: (...command) => io.call(...command), prefix: 'limit:' });
await call('init', () => store.init({ windowMs: 3600000 }));

const told = ({ totalHits, resetTime }) => [totalHits, Math.round((resetTime - Date.now()) / 60000)];
await call('get nothing', () => store.get('user'), ({ totalHits }) => totalHits);
for (let i = 0; i < 3; i++) await call('increment', () => store.increment('user'), told);
await call('decrement', () => store.decrement('user'));
await call('get', () => store.get('user'), told);
await call('reset', () => store.resetKey('user'));
await call('increment after the reset', () => store.increment('user'), told);
await call('forget the scripts', () => io.script('FLUSH'));
await call('increment without the script', () => store.increment('user'), told);
await call('forget the scripts', () => io.script('FLUSH'));
await call('get without the script', () => store.get('user'), told);
await call('no time to live', () => io.set('limit:other', 7));
await call('increment what has no time to live', () => store.increment('other'), told);
await call('no number', () => io.set('limit:text', 'x', 'EX', 3600));
await call('increment what is no number', () => store.increment('text'), told);
await call('a list', () => io.rpush('limit:list', 'x'));
await call('get a list', () => store.get('list'), told);
await io.quit();
