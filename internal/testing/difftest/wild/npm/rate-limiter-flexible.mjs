import Redis from 'ioredis';
import { createClient } from 'redis';
import { BurstyRateLimiter, RateLimiterRedis, RateLimiterRedisNonAtomic, RateLimiterUnion, RLWrapperBlackAndWhite } from 'rate-limiter-flexible';
import { call, connection, host, port } from './say.mjs';

const io = new Redis(connection);
const node = await createClient({ url: `redis://${host}:${port}` }).connect();

const told = (res) =>
  res && res.remainingPoints !== undefined
    ? [res.consumedPoints, res.remainingPoints, res.isFirstInDuration, Math.round(res.msBeforeNext / 60000)]
    : res;

for (const [name, client, Limiter] of [
  ['ioredis', io, RateLimiterRedis],
  ['redis', node, RateLimiterRedis],
  ['not atomic', io, RateLimiterRedisNonAtomic],
]) {
  const limiter = new Limiter({
    storeClient: client, useRedisPackage: client === node, keyPrefix: `limit ${name}`, points: 5, duration: 3600, blockDuration: 7200,
  });
  await call(`${name}: get nothing`, () => limiter.get('user'), told);
  for (const points of [1, 2, '2', 1, 1]) await call(`${name}: consume ${points}`, () => limiter.consume('user', points), told);
  await call(`${name}: get`, () => limiter.get('user'), told);
  await call(`${name}: consume 1.5`, () => limiter.consume('user', 1.5), told);
  await call(`${name}: penalty`, () => limiter.penalty('other', 3), told);
  await call(`${name}: reward`, () => limiter.reward('other', 2), told);
  await call(`${name}: block`, () => limiter.block('other', 600), told);
  await call(`${name}: consume what is blocked`, () => limiter.consume('other'), told);
  await call(`${name}: delete`, () => limiter.delete('other'));
  await call(`${name}: delete nothing`, () => limiter.delete('other'));
  await call(`${name}: set`, () => limiter.set('third', 4, 1800), told);
  await call(`${name}: consume after set`, () => limiter.consume('third'), told);
  await call(`${name}: set for ever`, () => limiter.set('fourth', 1, 0));
  await call(`${name}: consume what never ends`, () => limiter.consume('fourth'), told);
  await call(`${name}: own duration`, () => limiter.consume('fifth', 1, { customDuration: 60 }), told);

  const forever = new Limiter({ storeClient: client, useRedisPackage: client === node, keyPrefix: `for ever ${name}`, points: 2, duration: 0 });
  for (let i = 0; i < 3; i++) await call(`${name}: consume without an end`, () => forever.consume('user'), told);
}

await call('a key that is a list', () => io.rpush('limit ioredis:list', 'x'));
const strict = new RateLimiterRedis({ storeClient: io, keyPrefix: 'limit ioredis', points: 2, duration: 3600 });
await call('consume from a list', () => strict.consume('list'), told);
const insured = new RateLimiterRedis({
  storeClient: io, keyPrefix: 'insured', points: 2, duration: 3600, inMemoryBlockOnConsumed: 2, inMemoryBlockDuration: 3600,
});
for (let i = 0; i < 4; i++) await call('consume, blocked in memory', () => insured.consume('user'), told);

const bursty = new BurstyRateLimiter(
  new RateLimiterRedis({ storeClient: io, keyPrefix: 'steady', points: 1, duration: 3600 }),
  new RateLimiterRedis({ storeClient: io, keyPrefix: 'burst', points: 2, duration: 7200 }),
);
for (let i = 0; i < 4; i++) await call('bursty', () => bursty.consume('user'), told);
const union = new RateLimiterUnion(
  new RateLimiterRedis({ storeClient: io, keyPrefix: 'minute', points: 2, duration: 3600 }),
  new RateLimiterRedis({ storeClient: io, keyPrefix: 'day', points: 3, duration: 86400 }),
);
for (let i = 0; i < 3; i++) {
  await call('union', () => union.consume('user'), (all) => Object.entries(all).map(([name, res]) => [name, told(res)]));
}
const wrapped = new RLWrapperBlackAndWhite({ limiter: strict, whiteList: ['friend'], blackList: ['foe'], runActionAnyway: true });
await call('white', () => wrapped.consume('friend'), told);
await call('black', () => wrapped.consume('foe'), told);

await io.quit();
await node.close();
