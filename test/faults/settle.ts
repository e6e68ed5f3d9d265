import { setTimeout as wait } from 'node:timers/promises';
import { operate } from '../../functions/operations/operate.ts';
import { type Snapshot, snapshotOfDatabase } from '../proof/snapshot.ts';
import { pageKey } from '../support/memory-store.ts';
import type { Clink } from './clink.ts';
import type { Database } from './database.ts';
import type { Tally } from './tally.ts';

const PATIENCE_MS = 300_000;
/** An operator who must look more often than this has a problem that does not heal. */
const ROUNDS = 3;

/**
 * Waits until nothing is under way any more, and does what an operator would after the trouble: look whether each failed
 * task has its page, and retry it. Events of strangers stay failed. Returns how many tasks were retried, by task.
 */
export async function settle(database: Database, clink: Clink, tally: Tally): Promise<ReadonlyMap<string, number>> {
  const retried = new Map<string, number>();
  for (let round = 0; round <= ROUNDS; round += 1) {
    await rest(database, clink, tally);
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

async function rest({ sql }: Database, clink: Clink, tally: Tally): Promise<void> {
  const endsAt = Date.now() + PATIENCE_MS;
  while (Date.now() < endsAt) {
    const undelivered = clink.undelivered();
    const open = await sql<{ task: string; status: string; n: number }[]>`
      SELECT task, status, count(*)::int AS n FROM outbox WHERE status IN ('pending', 'processing')
      GROUP BY task, status`;
    if (undelivered.size === 0 && open.length === 0) return;
    await wait(500);
    if (Date.now() < endsAt) continue;
    for (const [state, n] of undelivered) tally.violation(`${n} webhooks are still ${state}`);
    for (const { task, status, n } of open) tally.violation(`${n} ${task} are still ${status}`);
  }
}
