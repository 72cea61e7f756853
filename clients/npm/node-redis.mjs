// The package redis over RESP2 or RESP3, which the argument says.
import { createClient, createClientPool, defineScript, ErrorReply } from 'redis';
import { assert, binary, call, choice, host, port, say, until } from './say.mjs';

// The time-outs are those of a machine that has much else to do.
const options = { url: `redis://${host}:${port}`, RESP: Number(choice), commandOptions: { timeout: 60000 }, socket: { connectTimeout: 60000 } };
async function open(more = {}) {
  const made = createClient({ ...options, ...more });
  made.on('error', () => {});
  await made.connect();
  return made;
}
const twice = defineScript({
  SCRIPT: 'return {ARGV[1] * 2, KEYS[1]}',
  NUMBER_OF_KEYS: 1,
  parseCommand: (parser, key, n) => { parser.pushKey(key); parser.push(String(n)); },
  transformReply: (reply) => reply,
});
const redis = await open({ scripts: { twice } });

// The handshake.
{
  const named = await open({ name: 'moon', database: 3 });
  await call('name', () => named.clientGetName());
  await call('info', () => named.clientInfo(), ({ name, db, resp, user }) => [name, db, resp, user]);
  await redis.configSet('requirepass', 'secret');
  await call('password', async () => (await open({ password: 'secret' })).ping());
  await call('wrong password', () => open({ password: 'wrong', socket: { reconnectStrategy: false } }));
  await call('no password', () => open({ socket: { reconnectStrategy: false } }).then((client) => client.get('k')));
  await redis.configSet('requirepass', '');
}

// Values.
await call('set', () => redis.set('k', 'v', { expiration: { type: 'EX', value: 100 }, condition: 'NX' }));
await call('set', () => redis.set('k', 'v', { condition: 'NX' }));
await call('binary', async () => (await redis.set(binary, binary), (await redis.withTypeMapping({ 36: Buffer }).get(binary)).equals(binary)));
await call('nothing', () => redis.get('nothing'));
await call('hash', async () => (await redis.hSet('h', { a: 1, b: 'two' }), redis.hGetAll('h')));
await call('fields', () => redis.hmGet('h', ['a', 'none']));
await call('sorted set', async () => (await redis.zAdd('z', [{ score: 1.5, value: 'a' }, { score: -Infinity, value: 'b' }]), redis.zRangeWithScores('z', 0, -1)));
await call('pop', () => redis.zPopMin('z'));
await call('score', () => redis.zScore('z', 'a'));
await call('members', async () => (await redis.sAdd('s', ['1', '2']), redis.sMembers('s')));
await call('is member', () => redis.sIsMember('s', '1'));
await call('stream', async () => (await redis.xAdd('x', '1-1', { f: 'v' }), redis.xRange('x', '-', '+')));
await call('read', () => redis.xRead([{ key: 'x', id: '0' }, { key: 'y', id: '0' }], { COUNT: 1 }));
await call('group', async () => [await redis.xGroupCreate('x', 'g', '0'), await redis.xReadGroup('g', 'c', { key: 'x', id: '>' }), await redis.xPending('x', 'g')]);
await call('geo', async () => (await redis.geoAdd('g', { longitude: 13.361389, latitude: 38.115556, member: 'P' }), redis.geoPos('g', ['P', 'none'])));
await call('geo', () => redis.geoSearchWith('g', { longitude: 15, latitude: 37 }, { radius: 500, unit: 'km' }, ['WITHDIST']));
await call('longest', async () => (await redis.mSet({ l1: 'ohmytext', l2: 'mynewtext' }), redis.lcsIdxWithMatchLen('l1', 'l2')));
await call('wrong type', () => redis.lPush('k', '1'));
await call('too few', () => redis.sendCommand(['get']));
await call('unknown', () => redis.sendCommand(['no-such-command', 'x']));
await call('function', async () => [await redis.functionLoad("#!lua name=lib\nredis.register_function('f', function(k, a) return a[1] end)"), await redis.fCall('f', { arguments: ['x'] })]);
await call('functions', () => redis.functionList());
await call('command', () => redis.commandInfo(['get', 'none']));
await call('configuration', () => redis.configGet('maxmemory*'), (found) => Object.entries(found).sort());
await call('rights', () => redis.aclGetUser('default'));

// Pipelines, transactions, scripts.
{
  const all = await Promise.allSettled(Array.from({ length: 5000 }, (_, i) => (i % 10 === 9 ? redis.lPush('n', 'x') : i % 2 ? redis.incr('n') : redis.set(`many:${i}`, 'x'.repeat(i % 3000)))));
  say('pipeline', all.length, all.filter(({ reason }) => reason instanceof ErrorReply).length, all.at(-3).value);
  await call('transaction', () => redis.multi().incr('n').get('n').exec());
  await call('a transaction with an error', () => redis.multi().incr('n').lPush('n', '1').exec(), (it) => it);
  await call('a transaction that is refused', () => redis.multi().addCommand(['set', 'n']).exec());
  const pool = createClientPool(options, { minimum: 1, maximum: 4 });
  pool.on('error', () => {});
  await pool.connect();
  await call('pool', () => Promise.all(Array.from({ length: 500 }, (_, i) => pool.hSet('pooled', String(i), i))), (replies) => replies.length);
  await call('watch', () => pool.execute(async (client) => {
    await client.watch('n');
    await redis.incr('n');
    return client.multi().incr('n').exec();
  }));
  pool.destroy();
  await call('script', () => redis.twice('d', 21));
  await redis.scriptFlush();
  await call('script that was forgotten', () => redis.twice('d', 4));
  await call('error of a script', () => redis.eval("return redis.error_reply('MINE it is')"));
  await call('maps of a script', () => redis.eval("redis.setresp(3) return {map={a={double=1.5}}}"));
}

// Walking through keys.
{
  const found = new Set();
  for await (const keys of redis.scanIterator({ MATCH: 'many:*', COUNT: 100 })) keys.forEach((key) => found.add(key));
  say('scanned', found.size);
  const fields = new Set();
  for await (const some of redis.hScanIterator('pooled')) some.forEach(({ field }) => fields.add(field));
  say('scanned', fields.size);
}

// Messages.
{
  const sub = await open();
  const heard = [];
  const listen = (message, channel) => heard.push([channel, message]);
  await sub.subscribe(['news', 'sport'], listen);
  await sub.pSubscribe('n*', listen);
  await sub.sSubscribe('shard', listen);
  await call('publish', async () => [await redis.publish('news', 'one'), await redis.publish('sport', 'two'), await redis.sPublish('shard', 'three')]);
  await until('heard', () => heard.length === 4);
  say('heard', heard.splice(0));
  await call('kill', () => redis.clientKill({ filter: 'TYPE', type: 'pubsub' }));
  await until('subscribed again', async () => (await redis.pubSubNumSub(['sport'])).sport === 1 && (await redis.pubSubNumPat()) === 1 && (await redis.pubSubShardNumSub(['shard'])).shard === 1);
  await redis.publish('news', 'again');
  await until('heard again', () => heard.length === 2);
  say('heard', heard);
  await sub.unsubscribe();
  await sub.pUnsubscribe();
  await sub.sUnsubscribe();
  await call('no longer subscribed', () => sub.get('k'));
  sub.destroy();
}

// Waiting, and being killed meanwhile.
{
  const waiting = await open();
  const waits = () => until('it waits', async () => (await redis.info('clients')).includes('blocked_clients:1'));
  await call('in vain', () => waiting.blPop('q', 0.05));
  const popped = waiting.blPop(['q', 'r'], 0);
  await waits();
  await redis.rPush('r', 'x');
  await call('popped', () => popped);
  const lost = call('lost', () => waiting.blPop('q', 0));
  await waits();
  await redis.clientKill({ filter: 'TYPE', type: 'normal' });
  await lost;
  await call('back again', () => waiting.ping());
  const unblocked = waiting.blPop('empty', 0).catch((error) => error);
  await waits();
  const id = (await redis.clientList()).find(({ cmd }) => cmd === 'blpop').id;
  await call('unblock', () => redis.clientUnblock(id, 'ERROR'));
  say('unblocked', await unblocked);
  waiting.destroy();
}

await redis.close();
assert(!redis.isOpen);
process.exit();
