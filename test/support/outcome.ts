import { expect } from 'vitest';
import type { Backend, Order } from './backend.ts';
import { snapshotOf } from './snapshot.ts';
import { eventStatus, journalOf } from './stored.ts';
import type { Body } from './webhooks.ts';

/** What has become of an order, its events and its tasks. */

/** The order's row and its attempts' rows: what a conflict or a stale word must leave alone. */
export async function stateOf({ db }: Backend, { id }: Order) {
  const { order, attempts } = await snapshotOf(db.owner, id);
  return { order, attempts };
}

/** Why the order's latest decision came out as it did. */
export async function lastReason({ db }: Backend, { id }: Order): Promise<string | undefined> {
  return (await journalOf(db.owner, id)).at(-1);
}

export async function expectProcessed({ db }: Backend, ...events: readonly Body[]): Promise<void> {
  for (const { id } of events) expect(await eventStatus(db.owner, id)).toBe('processed');
}

/** Runs everything that is to be done, and holds that nothing of the order is left over once Clink has answered. */
export async function runToTheEnd(backend: Backend, { id }: Order): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await backend.passBackoff();
    await backend.runDue();
  }
  const { tasks } = await snapshotOf(backend.db.owner, id);
  expect(tasks.filter(({ status }) => status !== 'succeeded')).toEqual([]);
}

/** Calls by which the merchant was asked to deliver the order. */
export function deliveriesOf({ merchant }: Backend, { id }: Order) {
  return merchant.calls.filter(({ path, idempotencyKey }) => path === '/fulfillment' && idempotencyKey === id);
}
