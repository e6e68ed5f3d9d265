import type { Sql } from '../database/connection.ts';
import { dropProcessedBodies, pruneFinishedTasks } from '../database/retention.ts';
import { log } from '../platform/log.ts';

export interface PruneDeps {
  readonly sql: Sql;
  /** Whole days that finished tasks and the bodies of processed events are kept. */
  readonly keepDays: number;
  /** Whether a batch, also the first, may begin. */
  readonly hasTime: () => boolean;
}

export interface Pruned {
  readonly tasks: number;
  readonly bodies: number;
}

/** Rows of each kind in one statement: few enough that nobody waits for it. */
const BATCH = 1_000;

/** Prunes what is older than is to be kept, batch after batch while there is time and the last one was full. */
export async function pruneHistory({ sql, keepDays, hasTime }: PruneDeps): Promise<Pruned> {
  const total = { tasks: 0, bodies: 0 };
  let isFull = true;
  while (isFull && hasTime()) {
    const tasks = await pruneFinishedTasks(sql, { keepDays, most: BATCH });
    const bodies = await dropProcessedBodies(sql, { keepDays, most: BATCH });
    total.tasks += tasks;
    total.bodies += bodies;
    isFull = tasks === BATCH || bodies === BATCH;
  }
  if (total.tasks + total.bodies > 0) log.info('history_pruned', total);
  return total;
}
