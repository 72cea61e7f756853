// Queues of bullmq, worked to the end; the argument says with which client.
import { DelayedError, FlowProducer, Queue, QueueEvents, UnrecoverableError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { assert, call, choice, connection, host, port, say, until } from './say.mjs';

// client makes a connection for bullmq, which makes more of its kind where it needs them.
async function client() {
  if (choice === 'ioredis') {
    return new Redis({ ...connection, connectTimeout: 60000, maxRetriesPerRequest: null });
  }
  const made = createClient({ url: `redis://${host}:${port}`, commandOptions: { timeout: 60000 }, socket: { connectTimeout: 60000 } });
  made.on('error', () => {});
  await made.connect();
  return made;
}

const shared = await client();
const open = [];
function keep(thing) {
  thing.on?.('error', () => {}); // a connection that is killed
  open.unshift(thing);
  return thing;
}
const queueOf = (name, options) => keep(new Queue(name, { connection: shared, ...options }));
async function workerOf(name, process, options) {
  const worker = keep(new Worker(name, process, { connection: shared, ...options }));
  await worker.waitUntilReady();
  return worker;
}
const sorted = (list) => [...list].sort((a, b) => (a < b ? -1 : 1));

// A thousand jobs of every kind, four workers; each is processed once, those that fail once twice.
{
  const queue = queueOf('thousand');
  const runs = new Map();
  const events = keep(new QueueEvents('thousand', { connection: await client() }));
  await events.waitUntilReady();
  const completed = new Map();
  events.on('completed', ({ jobId }) => completed.set(jobId, (completed.get(jobId) ?? 0) + 1));
  const process = async (job) => {
    runs.set(job.id, (runs.get(job.id) ?? 0) + 1);
    if (job.name === 'fails once' && job.attemptsMade === 0) throw new Error('not yet');
    await job.updateProgress(50);
    return job.data.n * 2;
  };
  const kinds = [
    ['plain', () => ({})],
    ['prioritized', (n) => ({ priority: 1 + (n % 7) })],
    ['delayed', (n) => ({ delay: 1 + (n % 200) })],
    ['fails once', (n) => ({ attempts: 2, backoff: n % 50 })],
    ['last in, first out', () => ({ lifo: true })],
  ];
  const workers = [];
  for (let i = 0; i < 4; i++) workers.push(await workerOf('thousand', process, { concurrency: 10 }));
  const jobs = [];
  for (let n = 0; n < 1000; n += 50) {
    const [name, opts] = kinds[(n / 50) % kinds.length];
    const batch = Array.from({ length: 50 }, (_, i) => ({ name, data: { n: n + i }, opts: { jobId: `job-${n + i}`, ...opts(n + i) } }));
    jobs.push(...(await queue.addBulk(batch)));
  }
  await until('all are completed', async () => (await queue.getCompletedCount()) === 1000);
  await until('all events have come', () => completed.size === 1000);
  for (const job of jobs) {
    assert.equal(runs.get(job.id), job.name === 'fails once' ? 2 : 1, `${job.name} ${job.id}`);
    assert.equal(completed.get(job.id), 1, job.id);
  }
  say('counts', await queue.getJobCounts());
  say('values', (await queue.getJob('job-21')).returnvalue, (await queue.getJob('job-999')).returnvalue);
  await call('workers', () => queue.getWorkers(), (all) => all.length);
  await Promise.all(workers.map((worker) => worker.close()));
  await call('clean', () => queue.clean(0, 300, 'completed'), (ids) => ids.length);
  await call('counts', () => queue.getJobCounts('completed', 'failed'));
  await call('obliterate', () => queue.obliterate());
}

// In order of priority.
{
  const queue = queueOf('priorities');
  await queue.pause();
  for (const [i, priority] of [5, 1, 3, 1, 2, 2000000, 0].entries()) await queue.add('p', { i, priority }, { priority });
  await call('counts', () => queue.getCountsPerPriority([0, 1, 2, 3, 5]));
  await call('counts', () => queue.getJobCounts());
  await call('first', async () => (await queue.getJobs(['prioritized'], 0, 2, true)).map((job) => job.data));
  const order = [];
  await workerOf('priorities', async (job) => order.push(job.data), { concurrency: 1 });
  await queue.resume();
  await until('all are processed', () => order.length === 7);
  say('order', order);
}

// No more than 5 in 100 ms.
{
  const queue = queueOf('limited');
  const began = Date.now();
  let done = 0;
  await workerOf('limited', async () => { done++; }, { limiter: { max: 5, duration: 100 }, concurrency: 10 });
  await queue.addBulk(Array.from({ length: 22 }, (_, i) => ({ name: 'l', data: i })));
  await until('all are processed', () => done === 22);
  assert(Date.now() - began >= 390, 'they were not held back');
  await call('counts', () => queue.getJobCounts('completed', 'wait'));

  // A worker that is told to wait by what it calls.
  const told = queueOf('told');
  let refused = false;
  const worker = await workerOf('told', async () => {
    if (refused) return 'fine';
    refused = true;
    await told.rateLimit(50);
    throw Worker.RateLimitError();
  }, { limiter: { max: 1, duration: 50 } });
  const job = await told.add('t', {});
  await until('it is done', () => job.isCompleted());
  await call('told', () => told.getJob(job.id), ({ attemptsMade, returnvalue }) => [attemptsMade, returnvalue]);
  await worker.close();
}

// Again and again.
{
  const queue = queueOf('ticks');
  const ticks = [];
  await workerOf('ticks', async (job) => ticks.push([job.name, job.data, job.repeatJobKey]));
  await call('schedule', () => queue.upsertJobScheduler('tick', { every: 50, limit: 5 }, { name: 'tick', data: { x: 1 } }), (job) => job.name);
  await until('five ticks', () => ticks.length === 5);
  say('ticks', ticks);
  await call('schedule', () => queue.upsertJobScheduler('yearly', { pattern: '0 0 1 1 *', tz: 'UTC' }, { name: 'year' }), (job) => job.name);
  await call('schedule', () => queue.upsertJobScheduler('hourly', { every: 3600000, offset: 0 }, { name: 'hour' }), (job) => job.name);
  await call('change', () => queue.upsertJobScheduler('yearly', { pattern: '0 0 1 7 *', tz: 'UTC' }, { name: 'half' }), (job) => job.name);
  await call('schedulers', () => queue.getJobSchedulers(0, 10, true), (all) => sorted(all.map(({ key, name, every, pattern }) => [key, name, every, pattern].join())));
  await call('count', () => queue.getJobSchedulersCount());
  await call('remove', () => queue.removeJobScheduler('yearly'));
  await call('remove again', () => queue.removeJobScheduler('yearly'));
  await call('every second', () => queue.upsertJobScheduler('second', { pattern: '* * * * * *', limit: 1 }, { name: 'second' }), (job) => job.name);
  await until('a second has begun', () => ticks.some(([name]) => name === 'second'));
}

// Flows: parents wait for their children.
{
  const flow = keep(new FlowProducer({ connection: shared }));
  const results = [];
  const parents = queueOf('parents');
  await workerOf('leaves', async (job) => {
    if (job.data.bad) throw new UnrecoverableError('bad leaf');
    return job.data.n;
  }, { concurrency: 5 });
  await workerOf('parents', async (job) => {
    const values = Object.values(await job.getChildrenValues()).sort((a, b) => a - b);
    const sum = values.reduce((a, b) => a + b, 0);
    results.push([job.name, values]);
    return sum;
  });
  const leaf = (n, data = {}, opts = {}) => ({ name: 'leaf', queueName: 'leaves', data: { n, ...data }, opts });
  const tree = await flow.add({
    name: 'root', queueName: 'parents', data: {},
    children: [
      { name: 'left', queueName: 'parents', data: {}, children: [leaf(1), leaf(2), leaf(3, {}, { delay: 20 })] },
      { name: 'right', queueName: 'parents', data: {}, children: [leaf(10, {}, { priority: 2 }), leaf(20)] },
      leaf(100),
    ],
  });
  await until('the root is done', () => tree.job.isCompleted());
  say('results', sorted(results.map((each) => JSON.stringify(each))));
  say('sum', (await parents.getJob(tree.job.id)).returnvalue);
  await call('tree', () => flow.getFlow({ queueName: 'parents', id: tree.job.id }), ({ children }) => sorted(children.map(({ job, children: under }) => `${job.name} ${under?.length ?? 0}`)));
  await call('dependencies', () => tree.job.getDependenciesCount());

  const failing = await flow.add({ name: 'fails', queueName: 'parents', children: [leaf(1, { bad: true }, { failParentOnFailure: true }), leaf(2)] });
  await until('the parent has failed', () => failing.job.isFailed());
  await call('why', () => parents.getJob(failing.job.id), (job) => job.failedReason.replace(/:[0-9a-f-]{36}/, ':ID'));
  const lenient = await flow.add({ name: 'lenient', queueName: 'parents', children: [leaf(1, { bad: true }, { ignoreDependencyOnFailure: true }), leaf(2)] });
  await until('the parent is done', () => lenient.job.isCompleted());
  await call('ignored', () => lenient.job.getIgnoredChildrenFailures(), (failures) => Object.values(failures));
  const many = await flow.addBulk([1, 2, 3].map((n) => ({ name: `bulk${n}`, queueName: 'parents', children: Array.from({ length: 30 }, (_, i) => leaf(i)) })));
  for (const { job } of many) await until('it is done', () => job.isCompleted());
  await call('waiting children', () => parents.getWaitingChildrenCount());
}

// What one does with single jobs.
{
  const queue = queueOf('single', { defaultJobOptions: { stackTraceLimit: 0 } });
  const events = keep(new QueueEvents('single', { connection: await client() }));
  await events.waitUntilReady();
  const hour = 3600000;
  const id = ({ id: it }) => it;
  await call('add', () => queue.add('a', { text: 'é "x" \u0000', bytes: [0, 255] }, { jobId: 'mine' }), id);
  await call('add the same', () => queue.add('a', { other: true }, { jobId: 'mine' }), id);
  await call('look', () => queue.getJob('mine'), (job) => [job.name, job.data, job.attemptsMade, job.opts]);
  await call('deduplicate', () => queue.add('d', { n: 1 }, { jobId: 'd1', deduplication: { id: 'one', ttl: hour } }), id);
  await call('deduplicate', () => queue.add('d', { n: 2 }, { jobId: 'd2', deduplication: { id: 'one', ttl: hour } }), id);
  await call('who', () => queue.getDeduplicationJobId('one'));
  await call('forget', () => queue.removeDeduplicationKey('one'));
  const later = await queue.add('later', {}, { jobId: 'later', delay: hour });
  await call('state', () => later.getState());
  await call('delay', () => later.changeDelay(2 * hour));
  await call('priority', () => later.changePriority({ priority: 3 }));
  await call('promote', () => later.promote());
  await call('state', () => later.getState());
  await call('promote again', () => later.promote());
  await call('data', () => later.updateData({ new: true }));
  await call('log', () => later.log('row'));
  await call('logs', () => queue.getJobLogs('later'));
  await call('remove', () => later.remove());
  await call('remove nothing', () => queue.remove('nothing'));
  await call('retry what has not failed', async () => (await queue.getJob('mine')).retry());
  await call('counts', () => queue.getJobCounts());
  await call('global concurrency', async () => [await queue.setGlobalConcurrency(4), await queue.getGlobalConcurrency()]);
  await call('version', () => queue.getVersion(), (version) => version.startsWith('bullmq'));
  await call('drain', () => queue.drain(true));
  await call('counts', () => queue.getJobCounts());
  const worker = await workerOf('single', async (job, token) => {
    if (job.name === 'step' && !job.data.second) {
      await job.updateData({ second: true });
      await job.moveToDelayed(Date.now() + 20, token);
      throw new DelayedError();
    }
    if (job.name === 'bad') throw new Error(`bad for the ${job.attemptsMade + 1}. time`);
    return { done: job.name };
  });
  await call('wait', async () => (await queue.add('x', {})).waitUntilFinished(events, 60000));
  await call('wait for a step', async () => (await queue.add('step', {})).waitUntilFinished(events, 60000));
  await call('wait for what fails', async () => (await queue.add('bad', {}, { attempts: 3, backoff: { type: 'exponential', delay: 5 }, jobId: 'bad' })).waitUntilFinished(events, 60000));
  await call('failed', () => queue.getFailed(), (jobs) => jobs.map((job) => [job.id, job.failedReason, job.attemptsMade]));
  await worker.close();
  await call('retry all', () => queue.retryJobs({ state: 'failed' }));
  await call('counts', () => queue.getJobCounts());
  await call('trim', () => queue.trimEvents(1), (n) => n > 0);
  await call('obliterate', () => queue.obliterate({ force: true }));
  await call('counts', () => queue.getJobCounts());
}

// A worker that dies: its job is taken up by another.
{
  const queue = queueOf('stalled');
  const events = keep(new QueueEvents('stalled', { connection: await client() }));
  await events.waitUntilReady();
  const stalled = [];
  events.on('stalled', ({ jobId }) => stalled.push(jobId));
  let taken;
  const begun = new Promise((resolve) => { taken = resolve; });
  const dying = await workerOf('stalled', () => { taken(); return new Promise(() => {}); }, { lockDuration: 100, lockRenewTime: 100000, skipStalledCheck: true });
  const job = await queue.add('s', {}, { jobId: 'left' });
  await begun;
  await dying.close(true);
  await workerOf('stalled', async () => 'rescued', { stalledInterval: 100 });
  await until('it is done', () => job.isCompleted());
  await until('its event has come', () => stalled.length === 1);
  say('rescued', stalled, (await queue.getJob('left')).returnvalue, (await queue.getJob('left')).stalledCounter);
}

await Promise.all(open.map((each) => each.close()));

// All connections are killed while 300 jobs are worked on: none is lost. (Around node-redis
// the package itself ends the program then, and a worker of which a connection was killed may not come to the end of its close.)
if (choice === 'ioredis') {
  const queue = queueOf('killed');
  const done = new Set();
  const killer = await client();
  for (let i = 0; i < 3; i++) await workerOf('killed', async (job) => { done.add(job.id); }, { concurrency: 5, stalledInterval: 200, maxStalledCount: 10, lockDuration: 200 });
  await queue.addBulk(Array.from({ length: 300 }, (_, i) => ({ name: 'k', data: i, opts: { jobId: `k${i}`, delay: i, attempts: 3 } })));
  await until('a third is done', () => done.size > 100);
  await killer.client('KILL', 'TYPE', 'normal');
  await until('all are done', () => done.size === 300);
  say('killed', done.size);
}
process.exit();
