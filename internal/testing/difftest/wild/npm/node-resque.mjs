import { Queue, Worker } from 'node-resque';
import { call, connection as server, say } from './say.mjs';

const connection = { ...server, namespace: 'resque', scanCount: 1000 };
const hour = 3600000;
const queue = new Queue({ connection });
await queue.connect();

// What a worker is at is stored by a script that decodes the job and encodes it again, in Lua's order of keys.
const jobs = {
  at: {
    perform: async (...args) => {
      const working = await queue.workingOn('worker', 'math,other');
      const { run_at, ...rest } = JSON.parse(working);
      say('working', Boolean(run_at), Object.entries(rest.payload).sort());
      return args.length;
    },
  },
  fail: { perform: async () => { throw new Error('it went wrong'); } },
};
const rich = { z: 1, a: [1, 2.5, -3e20, 1e-7], empty: {}, none: null, text: 'é "x" / \u0000 \u007f', yes: true, deep: { list: [[], {}] }, 10: 'ten' };
await call('enqueue', () => queue.enqueue('math', 'at', [1, 2]));
await call('enqueue', () => queue.enqueue('math', 'at', [rich, 'x'.repeat(500)]));
await call('enqueue', () => queue.enqueue('math', 'at'));
await call('enqueue what fails', () => queue.enqueue('math', 'fail', ['now']));
await call('enqueue what nobody knows', () => queue.enqueue('math', 'unknown', [[[]], {}]));
await call('enqueue elsewhere', () => queue.enqueue('other', 'at', [1e21, 12345678901234567890, 0.1]));
const later = Math.ceil(Date.now() / hour) * hour + hour;
await call('for later', () => queue.enqueueAt(later, 'math', 'at', ['later']));
await call('the same for later', () => queue.enqueueAt(later, 'math', 'at', ['later']));
await call('for later still', () => queue.enqueueAt(later + hour, 'other', 'at', ['later still']));
await call('scheduled', () => queue.scheduledAt('math', 'at', ['later']), (times) => times.length);
await call('queues', () => queue.queues(), (names) => names.sort());
await call('length', () => queue.length('math'));
await call('queued', () => queue.queued('math', 0, -1), (all) => all.map((job) => job.class));
await call('delayed', () => queue.allDelayed(), (all) => Object.values(all).flat().map((job) => [job.class, job.queue, job.args]));

const worker = new Worker({ connection, queues: ['math', 'other'], name: 'worker', timeout: 10, looping: true }, jobs);
worker.on('error', (error) => say('error', error));
let left = 6;
const idle = new Promise((resolve) => {
  const one = (...what) => {
    say(...what);
    left -= 1;
    if (left === 0) resolve();
  };
  worker.on('success', (name, job, result) => one('success', name, job.class, result));
  worker.on('failure', (name, job, error) => one('failure', name, job.class, error.message));
});
await worker.connect();
await worker.start();
await idle;
await worker.end();

await call('failed', () => queue.failedCount());
await call('failed', () => queue.failed(0, -1), (all) => all.map(({ payload, queue: name, error }) => [payload.class, name, error]));
await call('retry', async () => queue.retryAndRemoveFailed((await queue.failed(0, 0))[0]));
await call('remove', async () => queue.removeFailed((await queue.failed(0, 0))[0]));
await call('failed', () => queue.failedCount());
await call('delete', () => queue.del('math', 'fail', ['now']));
await call('delete delayed', () => queue.delDelayed('math', 'at', ['later']), (times) => times.length);
await call('workers', () => queue.workers());
await call('statistics', () => queue.stats(), (stats) => Object.entries(stats).sort());
await call('locks', () => queue.locks());
await queue.end();
