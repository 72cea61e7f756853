// ioredis over RESP2 or RESP3, which the argument says.
import { Redis } from 'ioredis';
import { binary, call, choice, connection, once, say, until } from './say.mjs';

const opened = [];
const open = (options = {}) => {
  const made = new Redis({ ...connection, protocol: Number(choice), connectTimeout: 60000, ...options });
  made.on('error', () => {});
  opened.push(made);
  return made;
};
const redis = open();

// The handshake.
{
  const named = open({ connectionName: 'moon', db: 3 });
  await call('name', () => named.client('GETNAME'));
  await call('info', () => named.client('INFO'), (line) => line.match(/\b(db|resp|name|cmd)=\S*/g));
  await call('database', () => open({ db: 99, retryStrategy: null }).ping());
  await redis.config('SET', 'requirepass', 'secret');
  await call('password', () => open({ password: 'secret' }).ping());
  await call('no password', () => open().ping());
  await call('wrong password', () => open({ password: 'wrong', retryStrategy: null }).get('k'));
  await redis.config('SET', 'requirepass', '');
}

// Values.
await call('set', () => redis.set('k', 'v', 'EX', 100, 'NX'));
await call('set', () => redis.set('k', 'v', 'NX'));
await call('binary', async () => (await redis.set(binary, binary), (await redis.getBuffer(binary)).equals(binary)));
await call('nothing', () => redis.get('nothing'));
await call('hash', async () => (await redis.hset('h', { a: 1, b: 'two' }), redis.hgetall('h')));
await call('hash', () => redis.hset('h', new Map([['c', 3]])));
await call('sorted set', async () => (await redis.zadd('z', 1.5, 'a', '-inf', 'b'), redis.zrange('z', 0, -1, 'WITHSCORES')));
await call('score', () => redis.zscore('z', 'a'));
await call('set of words', async () => (await redis.sadd('s', 1, 2), redis.smembers('s')));
await call('stream', async () => (await redis.xadd('x', '1-1', 'f', 'v'), redis.xrange('x', '-', '+')));
await call('read', () => redis.xread('COUNT', 1, 'STREAMS', 'x', 'y', '0', '0'));
await call('geo', async () => (await redis.geoadd('g', 13.361389, 38.115556, 'P'), redis.geopos('g', 'P', 'none')));
await call('wrong type', () => redis.lpush('k', 1));
await call('too few', () => redis.call('get'));
await call('unknown', () => redis.call('no-such-command', 'x'));
await call('protocol', async () => { const all = []; for (const type of ['double', 'map', 'set', 'true', 'null', 'verbatim', 'bignum', 'array']) all.push(await redis.debug('protocol', type)); return all; });

// Pipelines, transactions, scripts.
{
  const pipeline = redis.pipeline();
  for (let i = 0; i < 5000; i++) i % 10 === 9 ? pipeline.lpush('n', 'x') : i % 2 ? pipeline.incr('n') : pipeline.set(`many:${i}`, 'x'.repeat(i % 3000));
  const replies = await pipeline.exec();
  say('pipeline', replies.length, replies.filter(([error]) => error).length, replies[9], replies.at(-3));
  await call('transaction', () => redis.multi().incr('n').lpush('n', 1).get('n').exec());
  await call('a transaction that is refused', () => redis.multi().set('n').exec());
  await call('one by one', async () => (await redis.multi({ pipeline: false }), [await redis.incr('n'), await redis.get('n'), await redis.exec()]));
  await call('watch', async () => (await redis.watch('n'), await redis.incr('n'), redis.multi().incr('n').exec()));
  redis.defineCommand('double', { numberOfKeys: 1, lua: "redis.call('SET', KEYS[1], ARGV[1] * 2) return {KEYS[1], redis.call('GET', KEYS[1]), 1.9, false}" });
  await call('script', () => redis.double('d', 21));
  await redis.script('FLUSH');
  await call('script that was forgotten', () => redis.double('d', 4));
  await call('scripts in a pipeline', () => redis.pipeline().double('d', 1).double('d', 2).exec());
  await call('error of a script', () => redis.eval("return redis.error_reply('MINE it is')", 0));
  await call('error in a script', () => redis.eval('return nosuch', 0));
  const auto = open({ enableAutoPipelining: true });
  await call('automatic pipelines', () => Promise.all(Array.from({ length: 500 }, (_, i) => auto.hset('auto', i, i))), (all) => all.length);
}

// Walking through keys.
{
  const found = new Set();
  for await (const keys of redis.scanStream({ match: 'many:*', count: 100 })) keys.forEach((key) => found.add(key));
  say('scanned', found.size);
  const members = new Set();
  for await (const some of redis.hscanStream('auto')) some.forEach((one) => members.add(one));
  say('scanned', members.size);
}

// Messages.
{
  const sub = open();
  const heard = [];
  sub.on('message', (channel, message) => heard.push([channel, message]));
  sub.on('pmessage', (pattern, channel, message) => heard.push([pattern, channel, message]));
  sub.on('smessage', (channel, message) => heard.push(['shard', channel, message]));
  await call('subscribe', async () => [await sub.subscribe('news', 'sport'), await sub.psubscribe('n*'), await sub.ssubscribe('shard')]);
  await call('publish', async () => [await redis.publish('news', 'one'), await redis.publish('sport', 'two'), await redis.spublish('shard', 'three')]);
  await until('heard', () => heard.length === 4);
  say('heard', heard.splice(0));
  await call('while subscribed', () => sub.get('k'));
  const again = once(sub, 'ready');
  await call('kill', () => redis.client('KILL', 'TYPE', 'pubsub'));
  await again;
  await until('subscribed again', async () => (await redis.pubsub('NUMSUB', 'sport'))[1] === 1 && (await redis.pubsub('NUMPAT')) === 1 && (await redis.pubsub('SHARDNUMSUB', 'shard'))[1] === 1);
  await redis.publish('news', 'again');
  await until('heard again', () => heard.length === 2);
  say('heard', heard);
  await call('unsubscribe', async () => [await sub.unsubscribe('news', 'sport'), await sub.punsubscribe('n*'), await sub.sunsubscribe('shard')]);
  await call('no longer subscribed', () => sub.get('k'));
}

// Waiting, and being killed meanwhile.
{
  const waiting = open();
  await call('in vain', () => waiting.blpop('q', 0.05));
  const popped = waiting.blpop('q', 'r', 0);
  await until('it waits', async () => (await redis.info('clients')).includes('blocked_clients:1'));
  await redis.rpush('r', 'x');
  await call('popped', () => popped);
  const moved = waiting.blmove('q', 'r', 'LEFT', 'RIGHT', 0);
  await until('it waits', async () => (await redis.info('clients')).includes('blocked_clients:1'));
  const closed = once(waiting, 'close');
  await redis.client('KILL', 'TYPE', 'normal');
  await closed;
  await until('it waits again', async () => (await redis.info('clients')).includes('blocked_clients:1')); // the client sends it again
  await redis.rpush('q', 'y');
  await call('moved', () => moved);
  const unblocked = waiting.blpop('empty', 0).catch((error) => error);
  await until('it waits', async () => (await redis.info('clients')).includes('blocked_clients:1'));
  const id = (await redis.client('LIST')).match(/id=(\d+) .*cmd=blpop/)[1];
  await call('unblock', () => redis.client('UNBLOCK', id, 'ERROR'));
  say('unblocked', await unblocked);
}

// A monitor sees what others do. ioredis takes what comes together with the answer to MONITOR for a reply of its own
// and fails, so those that reconnect since they were killed must be gone first.
{
  opened.filter((client) => client !== redis).forEach((client) => client.disconnect());
  await until('it is alone', async () => (await redis.client('LIST')).trim().split('\n').length === 1);
  const monitor = await redis.monitor();
  const seen = new Promise((resolve) => monitor.on('monitor', (time, args, source, database) => args[0] === 'echo' && resolve([args, database])));
  await redis.echo('hello');
  await call('monitor', () => seen);
}

await call('quit', () => redis.quit());
await until('it has ended', () => redis.status === 'end');
process.exit();
