import { setTimeout as wait } from 'node:timers/promises';
import { operate } from '../../functions/operations/operate.ts';
import { type Snapshot, snapshotOfDatabase } from '../proof/snapshot.ts';
import { pageKey } from '../support/memory-store.ts';
import type { Clink } from './clink.ts';
import type { Database } from './database.ts';
import type { Tally } from './tally.ts';

const PATIENCE_MS = 90_000;
/** An operator who must look more often than this has a problem that does not heal. */
const ROUNDS = 3;

/**
 * Waits until nothing is under way any more, and does what an operator would after the trouble: look whether each failed
 * task has its page, and retry it. Events of strangers stay failed. Returns how many tasks were retried, by task.
 */
export async function settle(database: Database, clink: Clink, tally: Tally): Promise<ReadonlyMap<string, number>> {
  const retried = new Map<string, number>();
  for (let round = 0; round <= ROUNDS; round += 1) {
    if (!(await comesToRest(database, clink, tally))) return retried;
    for (const words of unpaged(await snapshotOfDatabase(database.sql))) tally.violation(words);
    const failed = await failedTasks(database);
    if (failed.length === 0) return retried;
    if (round === ROUNDS) for (const { task, id } of failed) tally.violation(`${task} ${id} fails without trouble`);
    for (const { id, task } of failed) {
      await operate(database.sql, { command: 'retry', id: String(id) });
      retried.set(task, (retried.get(task) ?? 0) + 1);
    }
  }
  return retried;
}

/** Whatever came to an end without success, and nobody was told. */
function* unpaged({ tasks }: Snapshot): Iterable<string> {
  const keys = new Set(tasks.map(({ dedupeKey }) => dedupeKey));
  for (const { dedupeKey, status } of tasks) {
    if (status === 'failed' && !keys.has(pageKey(dedupeKey))) yield `${dedupeKey} failed without a page`;
  }
}

/** Of our own orders: an event whose order is unknown belongs to somebody else, and waits for ever. */
function failedTasks({ sql }: Database): Promise<{ id: number; task: string }[]> {
  return sql<{ id: number; task: string }[]>`
    SELECT id, task FROM outbox
    WHERE status = 'failed' AND NOT (task = 'reprocess_webhook' AND order_id IS NULL)`;
}

/** Without anything under way; else says what is stuck, once nothing has moved for as long as patience lasts. */
async function comesToRest({ sql }: Database, clink: Clink, tally: Tally): Promise<boolean> {
  let before = '';
  let movedAt = Date.now();
  for (;;) {
    const undelivered = clink.undelivered();
    const open = await sql<{ task: string; status: string; n: number }[]>`
      SELECT task, status, count(*)::int AS n FROM outbox WHERE status IN ('pending', 'processing')
      GROUP BY task, status ORDER BY task, status`;
    if (undelivered.size === 0 && open.length === 0) return true;
    const picture = JSON.stringify([...undelivered, open]);
    if (picture !== before) movedAt = Date.now();
    before = picture;
    if (Date.now() - movedAt > PATIENCE_MS) {
      for (const [state, n] of undelivered) tally.violation(`${n} webhooks are still ${state}`);
      for (const { task, status, n } of open) tally.violation(`${n} ${task} are still ${status}`);
      return false;
    }
    await wait(500);
  }
}
