import type { Sql } from './connection.ts';

export interface PruneBatch {
  /** Whole days that something finished is kept; the database takes nothing below seven. */
  readonly keepDays: number;
  /** Rows of one batch. */
  readonly most: number;
}

/** Deletes the oldest finished tasks whose keys cannot be asked for again. Returns how many; rows in use are passed over. */
export async function pruneFinishedTasks(sql: Sql, { keepDays, most }: PruneBatch): Promise<number> {
  const [row] = await sql<{ pruned: number }[]>`SELECT prune_finished_tasks(${keepDays}, ${most}) AS pruned`;
  return row?.pruned ?? 0;
}

/** Drops the bodies of the events that were processed longest ago; the events stay known. Returns how many. */
export async function dropProcessedBodies(sql: Sql, { keepDays, most }: PruneBatch): Promise<number> {
  const [row] = await sql<{ dropped: number }[]>`SELECT drop_processed_bodies(${keepDays}, ${most}) AS dropped`;
  return row?.dropped ?? 0;
}
