import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { connect } from '../../../functions/database/connection.ts';
import { QUEUE, startPgBoss } from '../engines/pg-boss.ts';
import type { BenchDatabase } from '../part.ts';
import { type Contender, timed } from './contender.ts';

const AT_ONCE = 10_000;
const TASK = 'noop';
const logger = new Logger(() => () => undefined);

export async function pgBossClaim(database: BenchDatabase, due: number): Promise<Contender> {
  const boss = await startPgBoss(database, 1);
  const jobs = Array.from({ length: AT_ONCE }, () => ({}));
  for (let stored = 0; stored < due; stored += AT_ONCE) await boss.insert(QUEUE, jobs);
  await vacuum(database, 'pgboss.job');
  return {
    name: 'pg-boss',
    async claim() {
      const [ms, [job]] = await timed(() => boss.fetch(QUEUE));
      if (!job) throw new Error('nothing was fetched');
      await boss.complete(QUEUE, job.id);
      return ms;
    },
    close: () => boss.stop({ graceful: false }),
  };
}

/** Its worker says itself when it asks for a job and when it has one. Completing comes later, all jobs of a moment together. */
export async function graphileWorkerClaim(database: BenchDatabase, due: number): Promise<Contender> {
  const connectionString = database.ownerUrl;
  const utils = await makeWorkerUtils({ connectionString, logger });
  await utils.migrate();
  await utils.addJob(TASK, {});
  const owner = connect({ url: database.ownerUrl, max: 1 });
  await owner.unsafe(`
    INSERT INTO graphile_worker._private_jobs (task_id)
    SELECT id FROM graphile_worker._private_tasks, generate_series(1, ${due})`);
  await owner.end();
  await vacuum(database, 'graphile_worker._private_jobs');

  let asked = 0;
  let started = Promise.withResolvers<number>();
  let mayEnd = Promise.withResolvers<void>();
  const worker = { connectionString, logger, concurrentJobs: 1, completeJobBatchDelay: 250 };
  const taskList = { [TASK]: () => mayEnd.promise };
  const runner = await run({ preset: { worker }, taskList, noHandleSignals: true });
  runner.events.on('worker:getJob:start', () => (asked = performance.now()));
  runner.events.on('job:start', () => started.resolve(performance.now() - asked));
  return {
    name: 'graphile-worker',
    claim() {
      started = Promise.withResolvers();
      mayEnd.resolve();
      mayEnd = Promise.withResolvers();
      return started.promise;
    },
    async close() {
      mayEnd.resolve();
      await runner.stop();
      await utils.release();
    },
  };
}

async function vacuum({ ownerUrl }: BenchDatabase, table: string): Promise<void> {
  const owner = connect({ url: ownerUrl, max: 1 });
  await owner.unsafe(`VACUUM ANALYZE ${table}`);
  await owner.end();
}
