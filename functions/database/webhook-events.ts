import type { Sql, Transaction } from './connection.ts';

export interface NewWebhookEvent {
  readonly id: string;
  readonly type: string;
  /** The body as it was signed. */
  readonly payload: string;
  /** SHA-256 of the body's bytes, hex. */
  readonly bodyHash: string;
  readonly merchantOrderRef: string | null;
  readonly clinkOrderRef: string | null;
  readonly clinkSessionRef: string | null;
}

/** Stores the first delivery of its id; for any later one this fails with a unique violation. */
export function insertEvent(tx: Transaction, event: NewWebhookEvent, status: 'pending' | 'processed') {
  return tx`
    INSERT INTO webhook_events
      (id, type, payload, body_hash, status, merchant_order_ref, clink_order_ref, clink_session_ref)
    VALUES (${event.id}, ${event.type}, ${event.payload}, ${event.bodyHash}, ${status}, ${event.merchantOrderRef},
            ${event.clinkOrderRef}, ${event.clinkSessionRef})`;
}

/** Null when no delivery of this id has been stored. */
export async function findBodyHash(tx: Transaction, id: string): Promise<string | null> {
  const [row] = await tx<{ bodyHash: string }[]>`SELECT body_hash FROM webhook_events WHERE id = ${id}`;
  return row?.bodyHash ?? null;
}

/** The body of an event that still waits for something, or null when there is nothing left to do about it. */
export async function findPendingPayload(sql: Sql, id: string): Promise<string | null> {
  const [row] = await sql<
    { payload: string }[]
  >`SELECT payload FROM webhook_events WHERE id = ${id} AND status = 'pending'`;
  return row?.payload ?? null;
}

/** Locks the event against being decided twice at once. False when it has been processed meanwhile. */
export async function lockPendingEvent(tx: Transaction, id: string): Promise<boolean> {
  const locked = await tx`SELECT id FROM webhook_events WHERE id = ${id} AND status = 'pending' FOR UPDATE`;
  return locked.count === 1;
}

export function markProcessed(tx: Transaction, id: string) {
  return tx`UPDATE webhook_events SET status = 'processed', updated_at = now() WHERE id = ${id} AND status = 'pending'`;
}
