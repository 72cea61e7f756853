import Redis from 'ioredis';
import Redlock from 'redlock';
import { call, connection, say } from './say.mjs';

const io = new Redis(connection);
const redlock = new Redlock([io], { retryCount: 0 });
redlock.on('clientError', (error) => say('client error', error));

const lock = await call('lock', () => redlock.lock('locks:account', 3600000), ({ resource, attempts }) => [resource, attempts]);
await call('lock again', () => redlock.lock('locks:account', 3600000));
await call('extend', () => lock.extend(7200000), ({ resource }) => resource);
await call('unlock', () => lock.unlock());
await call('unlock again', () => lock.unlock());
await call('extend what is unlocked', () => lock.extend(7200000));

const many = await call('lock several', () => redlock.lock(['locks:a', 'locks:b', 'locks:c'], 3600000), ({ resource }) => resource);
await call('lock one of them', () => redlock.lock(['locks:b'], 3600000));
await call('lock some of them', () => redlock.lock(['locks:d', 'locks:c'], 3600000));
await call('extend several', () => many.extend(7200000), ({ resource }) => resource);
await call('lose one', () => io.del('locks:a'));
await call('extend what is lost', () => many.extend(7200000));
await call('unlock the rest', () => many.unlock());

await call('forget the scripts', () => io.script('FLUSH'));
await call('lock once more', () => redlock.lock('locks:kept', 3600000), ({ resource }) => resource);
await call('a list', () => io.rpush('locks:list', 'x'));
await call('lock a list', () => redlock.lock('locks:list', 3600000));
await io.quit();
