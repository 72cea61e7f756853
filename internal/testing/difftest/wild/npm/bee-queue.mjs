import Queue from 'bee-queue';
import { call, connection, once, say } from './say.mjs';

const settings = { redis: connection, stallInterval: 3600000, prefix: 'bq', storeJobs: true };

// A queue that only adds and looks.
const desk = new Queue('mail', { ...settings, isWorker: false, getEvents: false });
await desk.ready();
const told = (job) => job && [job.id, job.data, job.status, job.options.retries];
await call('add', () => desk.createJob({ to: 1 }).save(), told);
await call('add with retries', () => desk.createJob({ to: 2 }).retries(2).save(), told);
await call('add with a name', () => desk.createJob({ to: 'é "x"' }).setId('mine').save(), told);
await call('add the same name', () => desk.createJob({ to: 4 }).setId('mine').save(), told);
await call('add for later', () => desk.createJob({ to: 5 }).delayUntil(Date.now() + 3600000).save(), told);
await call('add for earlier', () => desk.createJob({ to: 6 }).delayUntil(Date.now() + 1800000).save(), told);
await call('add for later with a name', () => desk.createJob({ to: 7 }).setId('later').delayUntil(Date.now() + 7200000).save(), told);
await call('add the same for later', () => desk.createJob({ to: 8 }).setId('later').delayUntil(Date.now() + 7200000).save(), told);
await call('add many', () => desk.saveAll([desk.createJob(1), desk.createJob(2), desk.createJob(3)]), (errors) => errors.size);
await call('look', () => desk.getJob('mine'), told);
await call('look for nobody', () => desk.getJob('nobody'));
for (const type of ['waiting', 'active', 'delayed', 'succeeded', 'failed']) {
  await call(type, () => desk.getJobs(type, { start: 0, end: 50, size: 50 }), (jobs) => jobs.map(told).sort());
}
await call('health', () => desk.checkHealth());
await call('remove', () => desk.removeJob('mine'), () => 'done');
await call('remove again', () => desk.removeJob('mine'), () => 'done');
await call('remove what waits for its time', async () => (await desk.getJob('later')).remove(), told);
await call('health', () => desk.checkHealth());

// A worker, one job at a time.
const worker = new Queue('mail', { ...settings, getEvents: false, activateDelayedJobs: true, delayedDebounce: 1 });
let left = 4 + 3 + 2; // successes, failures, and retries after two of them
const idle = new Promise((resolve) => {
  const one = (...what) => {
    say(...what);
    left -= 1;
    if (left === 0) resolve();
  };
  worker.on('succeeded', (job, result) => one('succeeded', job.id, result));
  worker.on('failed', (job, error) => one('failed', job.id, error.message));
  worker.on('retrying', (job, error) => one('retrying', job.id, error.message));
});
worker.process(async (job) => {
  await job.reportProgress({ at: job.id });
  if (job.id === '2') throw new Error('it went wrong');
  return { to: job.data };
});
await idle;
await call('health', () => desk.checkHealth());
for (const type of ['succeeded', 'failed']) {
  await call(type, () => desk.getJobs(type, { size: 50 }), (jobs) => jobs.map(told).sort());
}
await call('retry', async () => {
  const again = once(worker, 'failed');
  await (await desk.getJob('2')).retry();
  return (await again)[0].id;
});
const soon = once(worker, 'succeeded');
await call('add for soon', () => desk.createJob({ to: 'soon' }).setId('soon').delayUntil(Date.now() + 200).save(), told);
say('processed', (await soon)[0].id);
await worker.close();

// Jobs that a worker left behind.
await call('check', () => desk.checkStalledJobs());
const dead = new Queue('left', { ...settings, stallInterval: 1, isWorker: false, getEvents: false });
await dead.ready();
for (let i = 0; i < 3; i++) await call('add', () => dead.createJob(i).save(), told);
const client = dead.client;
await call('a worker takes two and dies', () =>
  new Promise((resolve) => client.multi().rpoplpush('bq:left:waiting', 'bq:left:active').rpoplpush('bq:left:waiting', 'bq:left:active').exec((_, r) => resolve(r))));
await call('check', () => dead.checkStalledJobs());
await new Promise((resolve) => setTimeout(resolve, 20)); // longer than the stall interval
await call('check again', () => dead.checkStalledJobs(), (n) => n);
await call('health', () => dead.checkHealth());
await dead.close();

const gone = new Queue('gone', { ...settings, isWorker: false, getEvents: false });
await call('add', () => gone.createJob(1).save(), told);
await call('destroy', () => gone.destroy());
await gone.close();
await desk.close();
