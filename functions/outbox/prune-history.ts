import type { Sql } from '../database/connection.ts';
import { dropProcessedBodies, pruneFinishedTasks } from '../database/retention.ts';
import { log } from '../platform/log.ts';

export interface PruneDeps {
  readonly sql: Sql;
  /** Whole days that finished tasks and the bodies of processed events are kept. */
  readonly keepDays: number;
  /** Whether another batch may begin. */
  readonly hasTime: () => boolean;
}

export interface Pruned {
  readonly tasks: number;
  readonly bodies: number;
}

/** Rows of each kind in one statement: few enough that nobody waits for it. */
const BATCH = 1_000;

/** Prunes what is older than is to be kept, a batch at least, then batch after batch while one was full and there is time. */
export async function pruneHistory({ sql, keepDays, hasTime }: PruneDeps): Promise<Pruned> {
  const total = { tasks: 0, bodies: 0 };
  let isFull: boolean;
  do {
    const tasks = await pruneFinishedTasks(sql, { keepDays, most: BATCH });
    const bodies = await dropProcessedBodies(sql, { keepDays, most: BATCH });
    total.tasks += tasks;
    total.bodies += bodies;
    isFull = tasks === BATCH || bodies === BATCH;
  } while (isFull && hasTime());
  if (total.tasks + total.bodies > 0) log.info('history_pruned', total);
  return total;
}
