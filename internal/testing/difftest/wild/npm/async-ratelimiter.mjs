import RateLimiter from 'async-ratelimiter';
import Redis from 'ioredis';
import { call, connection } from './say.mjs';

const io = new Redis(connection);
const limiter = new RateLimiter({ db: io, namespace: 'limit', max: 3, duration: 3600000 });
const told = ({ remaining, total, reset }) => [remaining, total, Number.isInteger(reset)];

await call('peek', () => limiter.get({ id: 'user', peek: true }), told);
for (let i = 0; i < 5; i++) await call('get', () => limiter.get({ id: 'user' }), told);
await call('peek', () => limiter.get({ id: 'user', peek: true }), told);
await call('a higher limit', () => limiter.get({ id: 'user', max: 5 }), told);
await call('a lower limit', () => limiter.get({ id: 'user', max: 2 }), told);
await call('a longer time', () => limiter.get({ id: 'user', duration: 7200000 }), told);
await call('a time over long ago', () => limiter.get({ id: 'user', duration: -3600000, peek: true }), told);
await call('another', () => limiter.get({ id: 'other' }), told);
await call('a list', () => io.rpush('limit:list', 'x'));
await call('get a list', () => limiter.get({ id: 'list' }), told);
await io.quit();
