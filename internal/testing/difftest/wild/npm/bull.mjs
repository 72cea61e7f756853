import Queue from 'bull';
import { call, connection, once, say } from './say.mjs';

const hour = 3600000;
const open = (name, options = {}) =>
  new Queue(name, { redis: connection, settings: { stalledInterval: hour, guardInterval: hour, drainDelay: 1, lockDuration: hour }, ...options });
const told = (job) =>
  job && [job.id, job.name, job.data, job.attemptsMade, job.failedReason, job.returnvalue, job.delay, job.opts.priority, job._progress];
const ids = (jobs) => jobs.map((job) => job && job.id);
const types = ['waiting', 'active', 'delayed', 'completed', 'failed', 'paused'];

async function status(queue) {
  await call('counts', () => queue.getJobCounts());
  for (const type of types) await call(type, () => queue.getJobs([type], 0, 50, true), ids);
  await call('priorities', () => queue.getCountsPerPriority([0, 1, 2, 3]));
}

// next takes the job that is next, as a worker does.
const next = (queue) => call('next', () => queue.getNextJob(), told);

const queue = open('mail');
await queue.isReady();
await call('add', () => queue.add({ to: 1 }), told);
await call('add by name', () => queue.add('send', { to: 'é "x" \u0000' }, { attempts: 3 }), told);
await call('add with an id', () => queue.add({ to: 3 }, { jobId: 'mine' }), told);
await call('add the same id', () => queue.add({ to: 4 }, { jobId: 'mine' }), told);
await call('add last in, first out', () => queue.add({ to: 5 }, { lifo: true }), told);
for (const priority of [3, 1, 2, 1]) await call('add with a priority', () => queue.add({ priority }, { priority }), told);
await call('add for later', () => queue.add({ to: 6 }, { delay: hour, jobId: 'later' }), told);
await call('add for later still', () => queue.add({ to: 7 }, { delay: 2 * hour, jobId: 'still-later' }), told);
await call('add many', () => queue.addBulk([{ name: 'a', data: 1 }, { name: 'b', data: 2, opts: { jobId: 'bulk' } }]), (jobs) => jobs.map(told));
await call('debounce', () => queue.add({ to: 8 }, { jobId: 'd1', debounce: { id: 'one', ttl: hour } }), told);
await call('debounced', () => queue.add({ to: 9 }, { jobId: 'd2', debounce: { id: 'one', ttl: hour } }), told);
await status(queue);

await call('pause', () => queue.pause());
await call('paused?', () => queue.isPaused());
await call('add to what is paused', () => queue.add({ to: 10 }, { jobId: 'in-pause' }), told);
await call('add to what is paused, with a priority', () => queue.add({ to: 10 }, { jobId: 'in-pause-2', priority: 2 }), told);
await status(queue);
await call('resume', () => queue.resume());
await status(queue);

const mine = await queue.getJob('mine');
for (const state of ['Waiting', 'Active', 'Delayed', 'Completed', 'Failed', 'Paused']) await call(`is ${state}`, () => mine[`is${state}`]());
await call('state', () => mine.getState());
await call('progress', () => mine.progress({ at: 50 }));
await call('data', () => mine.update({ to: 'new' }));
await call('log', () => mine.log('first row'));
await call('log', () => mine.log('second row'));
await call('logs', () => queue.getJobLogs('mine'));
await call('look', () => queue.getJob('mine'), told);
await call('look for nobody', () => queue.getJob('nobody'));
await call('promote', async () => (await queue.getJob('later')).promote());
await call('promote again', async () => (await queue.getJob('later')).promote());
await call('remove', async () => (await queue.getJob('bulk')).remove());
await call('retry what has not failed', () => mine.retry());

// A worker's life, one call after the other.
let job = await next(queue);
await call('lock', () => job.takeLock(), (lock) => Boolean(lock));
await call('extend', () => job.extendLock(hour));
await call('remove what is active', () => job.remove());
await call('complete', () => job.moveToCompleted({ fine: true }, false, true));
await call('complete again', () => job.moveToCompleted('x', false, true));
await call('release', () => job.releaseLock());
await call('finished', () => job.finished());
job = await next(queue);
await call('fail', () => job.moveToFailed(new Error('it went wrong')));
await call('state', () => job.getState());
await call('finished', () => job.finished());
await call('retry', () => job.retry());
await call('retry again', () => job.retry());
await call('state', () => job.getState());
job = await next(queue);
await call('complete and fetch the next', () => job.moveToCompleted('x'), (fetched) => fetched && fetched[1]);
await status(queue);

const tries = open('tries');
await call('add with attempts', () => tries.add('again', { n: 1 }, { attempts: 2, jobId: 'at-once' }), told);
await call('add with a backoff', () => tries.add('again', { n: 2 }, { attempts: 3, backoff: hour, jobId: 'backoff', stackTraceLimit: 1 }), told);
await call('add, to be removed', () => tries.add('gone', { n: 3 }, { removeOnComplete: true, removeOnFail: true, jobId: 'gone' }), told);
await call('add, the last to be kept', () => tries.add('kept', { n: 4 }, { removeOnComplete: { count: 1, age: hour }, jobId: 'k1' }), told);
await call('add, the last to be kept', () => tries.add('kept', { n: 5 }, { removeOnComplete: { count: 1, age: hour }, jobId: 'k2' }), told);
for (let i = 0; i < 2; i++) {
  job = await next(tries);
  await call('fail', () => job.moveToFailed({ message: 'it went wrong' }), () => 'done');
}
for (let i = 0; i < 3; i++) {
  job = await next(tries);
  await call('complete', () => job.moveToCompleted(i, false, true));
}
job = await next(tries);
await call('discard', async () => job.discard());
await call('fail for good', () => job.moveToFailed({ message: 'again' }), () => 'done');
await status(tries);
await call('retry all that failed', () => tries.retryJobs());
await status(tries);
job = await next(tries);
await call('for later', () => job.moveToDelayed(Date.now() + hour), () => 'done');
await status(tries);
await call('clean', () => tries.clean(0, 'completed'));
await call('clean what is delayed', () => tries.clean(-2 * hour, 'delayed', 1), (cleaned) => cleaned.length);
await call('clean what waits', () => tries.clean(-hour, 'wait'));
await call('clean what failed', () => tries.clean(-hour, 'failed'));
await status(tries);

// A worker that died: its jobs have no lock any more.
const dying = open('dying');
// Their ids are numbers, since Redis gives a set of numbers in order and a set of words in any.
for (let i = 0; i < 3; i++) await call('add', () => dying.add({ i }), told);
for (let i = 0; i < 2; i++) {
  job = await next(dying);
  await call('release', () => job.releaseLock());
}
for (let round = 0; round < 3; round++) {
  await dying.client.del(dying.toKey('stalled-check')); // the time until the next check has passed
  await call('unlocked', () => dying.moveUnlockedJobsToWait(), () => 'done');
  await status(dying);
  while ((await dying.getWaitingCount()) > 0) {
    job = await next(dying);
    await call('release', () => job.releaseLock());
  }
}

const limited = open('limited', { limiter: { max: 2, duration: hour, groupKey: 'who' } });
for (let i = 0; i < 4; i++) await call('add', () => limited.add({ who: i % 2 ? 'x' : 'y' }, { jobId: `l${i}` }), told);
for (let i = 0; i < 3; i++) {
  job = await next(limited);
  if (job) await call('complete', () => job.moveToCompleted(i, false, true));
}
await status(limited);

const measured = open('measured', { metrics: { maxDataPoints: 10 } });
await call('add', () => measured.add({}, { jobId: 'm1' }), told);
job = await next(measured);
await call('complete', () => job.moveToCompleted('x', false, true));
await call('metrics', () => measured.getMetrics('completed'), ({ meta, count }) => [meta.count, count]);

// Processing by the package itself, one job at a time.
const worked = open('worked');
worked.process('double', 1, async (task) => {
  await task.progress(50);
  if (task.data.n < 0) throw new Error('negative');
  return task.data.n * 2;
});
for (const n of [1, -1, 2]) {
  const end = new Promise((resolve) => {
    worked.once('completed', (task, result) => resolve(['completed', task.id, result]));
    worked.once('failed', (task, error) => resolve(['failed', task.id, error.message]));
  });
  await call('add', () => worked.add('double', { n }, { jobId: `w${n}` }), ({ id }) => id);
  say('processed', await end);
  worked.removeAllListeners('completed').removeAllListeners('failed');
}
const soon = once(worked, 'completed');
await call('add for soon', () => worked.add('double', { n: 21 }, { jobId: 'soon', delay: 100 }), ({ id }) => id);
say('processed', (await soon)[1]);
await worked.close();

// It scans the database: this one has so few keys that there is one page, and cursors need not be compared.
const few = open('few', { redis: { ...connection, db: 1 } });
for (const jobId of ['one-1', 'one-2', 'two-1']) await call('add', () => few.add({}, { jobId }), told);
await call('remove by pattern', () => few.removeJobs('one-*'), () => 'done');
await status(few);
await call('repeat', () => queue.add('tick', {}, { repeat: { cron: '0 0 1 1 *', tz: 'UTC' } }), ({ name }) => name);
await call('repeat every', () => queue.add('tock', {}, { repeat: { every: hour, limit: 3 } }), ({ name }) => name);
await call('repeating', () => queue.getRepeatableJobs(), (jobs) => jobs.map(({ name, cron, every }) => [name, cron, every]).sort());
await call('stop repeating', () => queue.removeRepeatable('tick', { cron: '0 0 1 1 *', tz: 'UTC' }));
await call('repeating', () => queue.getRepeatableJobs(), (jobs) => jobs.map(({ name }) => name));
await call('empty', () => queue.empty(), () => 'done');
await call('counts', () => queue.getJobCounts());
const end = open('end');
for (let i = 0; i < 3; i++) await call('add', () => end.add({ i }, { jobId: `e${i}`, delay: i * hour }), told);
job = await next(end);
await call('obliterate', () => end.obliterate());
await call('obliterate by force', () => end.obliterate({ force: true }));
await call('counts', () => end.getJobCounts());

for (const each of [queue, tries, dying, limited, measured, few, end]) await each.close(true);
