import { PgBoss } from 'pg-boss';
import type { BenchDatabase } from '../part.ts';
import { atOnce, type Engine } from './engine.ts';

export const QUEUE = 'noop';

/** Without its timers, and fetched from directly: its own workers would wait between two jobs. */
export async function startPgBoss(database: BenchDatabase, width: number): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: database.ownerUrl, max: width, supervise: false, schedule: false });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  await boss.createQueue(QUEUE);
  return boss;
}

/** pg-boss with so many jobs to a fetch, which are completed together. */
export async function pgBoss(database: BenchDatabase, width: number, batchSize: number): Promise<Engine> {
  const boss = await startPgBoss(database, width);
  return {
    name: batchSize === 1 ? 'pg-boss one by one' : `pg-boss ${batchSize} by ${batchSize}`,
    enqueue: (count) => atOnce(width, count, () => boss.send(QUEUE, {})),
    drain: () => atOnce(width, width, () => fetchAll(boss, batchSize)),
    close: () => boss.stop({ graceful: false }),
  };
}

async function fetchAll(boss: PgBoss, batchSize: number): Promise<void> {
  for (;;) {
    const jobs = await boss.fetch(QUEUE, { batchSize });
    if (jobs.length === 0) return;
    await boss.complete(
      QUEUE,
      jobs.map(({ id }) => id),
    );
  }
}
