import type { DatabaseSync } from 'node:sqlite';
import { Refusal } from './refusal.ts';
import type { World } from './world.ts';

/** Whether an action's webhooks go out at once, or wait in the queue until they are released. */
export type SendMode = 'send' | 'hold';

/** One copy of one event on its way. */
export interface Delivery {
  id: number;
  lane: string;
  attempts: number;
  body: string;
}

/** Queues the events in the given order, with the copies and losses that the knobs ask for. */
export function enqueue(world: World, lane: string, eventIds: readonly string[], mode: SendMode): void {
  const { delayMs, duplicates } = world.knobs.delivery;
  const insert = world.database.prepare('INSERT INTO deliveries (event_id, lane, state, due_at) VALUES (?, ?, ?, ?)');
  for (const eventId of eventIds) {
    for (let copy = 0; copy <= duplicates; copy += 1) {
      const state = world.knobs.takeDrop() ? 'dropped' : mode === 'hold' ? 'held' : 'queued';
      // A lane of its own sends the copy while the original is still under way.
      insert.run(eventId, copy === 0 ? lane : `${lane} copy ${copy}`, state, world.now() + delayMs);
    }
  }
}

/** Queues one stored event once more, past all knobs. An unknown event is refused. */
export function resend(world: World, eventId: string): void {
  const { changes } = world.database
    .prepare(
      "INSERT INTO deliveries (event_id, lane, state, due_at) SELECT id, lane, 'queued', ? FROM events WHERE id = ?",
    )
    .run(world.now(), eventId);
  if (changes === 0) throw new Refusal(404, 'There is no such event.');
}

/** Sends what is held, in the order it was queued. Returns how many deliveries that were. */
export function releaseHeld(world: World): number {
  return Number(
    world.database.prepare("UPDATE deliveries SET state = 'queued', due_at = ? WHERE state = 'held'").run(world.now())
      .changes,
  );
}

/** The oldest due delivery of each lane. */
export function dueDeliveries(database: DatabaseSync, now: number, limit: number): Delivery[] {
  const rows = database
    .prepare(
      `SELECT deliveries.id, deliveries.lane, attempts, body FROM deliveries JOIN events ON events.id = event_id
       WHERE deliveries.id IN (SELECT min(id) FROM deliveries WHERE state = 'queued' AND due_at <= ? GROUP BY lane)
       ORDER BY deliveries.id LIMIT ?`,
    )
    .all(now, limit);
  return rows as unknown as Delivery[];
}

/** When the next delivery that is not due yet will be, in Unix milliseconds. */
export function nextDueAt(database: DatabaseSync, now: number): number | undefined {
  const row = database
    .prepare("SELECT min(due_at) AS due_at FROM deliveries WHERE state = 'queued' AND due_at > ?")
    .get(now);
  return typeof row?.due_at === 'number' ? row.due_at : undefined;
}

/** Records how one attempt ended, and when the next one is due if there is one. */
export function recordAttempt(
  database: DatabaseSync,
  delivery: Delivery,
  outcome: { state: 'delivered' | 'given_up' | 'queued'; result: string; dueAt: number },
): void {
  database
    .prepare('UPDATE deliveries SET state = ?, attempts = attempts + 1, last_result = ?, due_at = ? WHERE id = ?')
    .run(outcome.state, outcome.result, outcome.dueAt, delivery.id);
}

/** One row of the delivery log. */
export interface DeliveryRecord {
  id: number;
  eventId: string;
  type: string;
  state: string;
  attempts: number;
  /** The HTTP status of the latest answer, `no answer`, or null before the first attempt. */
  lastResult: string | null;
}

/** The latest deliveries, newest first; a negative limit means all. */
export function listDeliveries(database: DatabaseSync, limit: number): DeliveryRecord[] {
  const rows = database
    .prepare(
      `SELECT deliveries.id, event_id AS eventId, type, state, attempts, last_result AS lastResult
       FROM deliveries JOIN events ON events.id = event_id ORDER BY deliveries.id DESC LIMIT ?`,
    )
    .all(limit);
  return rows as unknown as DeliveryRecord[];
}
