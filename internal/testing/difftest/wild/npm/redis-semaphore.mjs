import Redis from 'ioredis';
import { MultiSemaphore, Mutex, RedlockMultiSemaphore, RedlockMutex, RedlockSemaphore, Semaphore } from 'redis-semaphore';
import { call, connection } from './say.mjs';

const io = new Redis(connection);
const options = (identifier) => ({ identifier, lockTimeout: 3600000, refreshInterval: 0, acquireAttemptsLimit: 1, acquireTimeout: 60000 });

// A refresh is what an acquired lock does by itself; here it is an acquisition from outside.
const shared = (identifier) => ({ ...options(identifier), acquiredExternally: true });

for (const [name, on, Kinds] of [
  ['one server', io, [Mutex, Semaphore, MultiSemaphore]],
  ['redlock', [io], [RedlockMutex, RedlockSemaphore, RedlockMultiSemaphore]],
]) {
  const [OneMutex, OneSemaphore, Multi] = Kinds;
  const make = {
    mutex: (opts) => new OneMutex(on, `${name} mutex`, opts),
    semaphore: (opts) => new OneSemaphore(on, `${name} semaphore`, 2, opts),
    multi: (opts) => new Multi(on, `${name} multi`, 5, 2, opts),
  };
  for (const [kind, open] of Object.entries(make)) {
    const tell = (what) => `${name}, ${kind}: ${what}`;
    const held = ['a', 'b', 'c'].map((id) => open(options(id)));
    for (const lock of held) await call(tell('try'), () => lock.tryAcquire());
    await call(tell('acquire'), () => open(options('d')).acquire());
    await call(tell('refresh'), () => open(shared('a')).tryAcquire());
    await call(tell("refresh another's"), () => open(shared('nobody')).tryAcquire());
    for (const lock of held) await call(tell('release'), () => lock.release());
    await call(tell('release again'), () => held[0].release());
    await call(tell('refresh what is released'), () => open(shared('a')).tryAcquire());
    const kept = open(options('kept'));
    await call(tell('acquire for good'), () => kept.tryAcquire());
    await call(tell('a second time by the same'), () => open(options('kept')).tryAcquire());
  }
}
await call('a list', () => io.rpush('mutex:list', 'x'));
await call('acquire a list', () => new Mutex(io, 'list', options('a')).tryAcquire());
await io.quit();
