import { Logger, makeWorkerUtils, type RunnerOptions, run } from 'graphile-worker';
import type { BenchDatabase } from '../part.ts';
import { atOnce, type Engine } from './engine.ts';

const TASK = 'noop';
const logger = new Logger(() => () => undefined);

/** graphile-worker as it comes, or taking so many jobs ahead and completing together what ends in the same moment. */
export async function graphileWorker(database: BenchDatabase, width: number, ahead: number | null): Promise<Engine> {
  const connectionString = database.ownerUrl;
  const utils = await makeWorkerUtils({ connectionString, maxPoolSize: width, logger });
  await utils.migrate();
  const batches = ahead === null ? {} : { localQueue: { size: ahead }, completeJobBatchDelay: 0 };
  const worker = { connectionString, logger, concurrentJobs: width, maxPoolSize: width + 2, ...batches };

  const isEmpty = () =>
    utils.withPgClient(async (client) => {
      const { rowCount } = await client.query('SELECT FROM graphile_worker._private_jobs LIMIT 1');
      return rowCount === 0;
    });
  return {
    name: ahead === null ? 'graphile-worker' : `graphile-worker ${ahead} ahead`,
    enqueue: (count) => atOnce(width, count, () => utils.addJob(TASK, {})),
    async drain(count) {
      const ended = Promise.withResolvers<void>();
      let left = count;
      const taskList: RunnerOptions['taskList'] = {
        [TASK]: async () => {
          if (--left === 0) ended.resolve();
        },
      };
      const runner = await run({ preset: { worker }, taskList, noHandleSignals: true });
      await ended.promise;
      while (!(await isEmpty()));
      void runner.stop();
    },
    close: async () => void (await utils.release()),
  };
}
