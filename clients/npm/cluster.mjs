// Clients on a server in cluster mode; the argument says which.
import { Cluster } from 'ioredis';
import { createCluster } from 'redis';
import { assert, binary, call, choice, connection, host, port, say, until } from './say.mjs';

const keys = Array.from({ length: 300 }, (_, i) => `key:${i}`);
if (choice === 'ioredis') {
  const cluster = new Cluster([connection], { redisOptions: { connectTimeout: 60000 } });
  await Promise.all(keys.map((key, i) => cluster.set(key, i)));
  assert.deepEqual(await Promise.all(keys.map((key) => cluster.get(key))), keys.map((_, i) => String(i)));
  await call('pipeline', () => cluster.pipeline().set('{a}1', 'x').get('{a}1').lpush('{a}1', 'x').exec());
  await call('transaction', () => cluster.multi().incr('{a}n').incr('{a}n').exec());
  await call('across slots', () => cluster.mget('key:1', 'key:2'));
  await call('script', () => cluster.eval('return {KEYS[1], ARGV[1]}', 1, '{a}1', 'é'));
  await call('script', () => cluster.eval("return redis.call('GET', 'key:2')", 1, 'key:1'));
  await call('nodes', () => cluster.nodes('master'), (nodes) => nodes.length);
  const heard = [];
  const sub = new Cluster([connection], { redisOptions: { connectTimeout: 60000 } });
  sub.on('message', (channel, message) => heard.push([channel, message]));
  await call('subscribe', () => sub.subscribe('news'));
  await call('publish', () => cluster.publish('news', 'one'));
  await until('heard', () => heard.length === 1);
  say('heard', heard);
} else {
  const cluster = createCluster({ rootNodes: [{ url: `redis://${host}:${port}` }], defaults: { commandOptions: { timeout: 60000 }, socket: { connectTimeout: 60000 } } });
  cluster.on('error', () => {});
  await cluster.connect();
  await Promise.all(keys.map((key, i) => cluster.set(key, String(i))));
  assert.deepEqual(await Promise.all(keys.map((key) => cluster.get(key))), keys.map((_, i) => String(i)));
  await call('transaction', () => cluster.multi().incr('{a}n').incr('{a}n').exec());
  await call('across slots', () => cluster.mGet(['key:1', 'key:2']));
  await call('script', () => cluster.eval('return {KEYS[1], ARGV[1]}', { keys: ['{a}1'], arguments: ['é'] }));
  await call('binary', async () => [await cluster.set(binary, binary), await cluster.get(binary)]);
  await call('nodes', async () => cluster.masters.length);
  const heard = [];
  await cluster.subscribe('news', (message, channel) => heard.push([channel, message]));
  await cluster.sSubscribe('{a}news', (message, channel) => heard.push([channel, message]));
  await call('publish', async () => [await cluster.publish('news', 'one'), await cluster.sPublish('{a}news', 'two')]);
  await until('heard', () => heard.length === 2);
  say('heard', heard);
}
process.exit();
