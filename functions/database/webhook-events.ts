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

/**
 * Stores a delivery as processed, which is what it will be when this transaction commits unless it is marked as pending.
 * The row comes back only for the first delivery of its id; of several at once, one gets it.
 */
export async function insertEventOnce(tx: Transaction, event: NewWebhookEvent): Promise<boolean> {
  const inserted = await tx`
    INSERT INTO webhook_events
      (id, type, payload, body_hash, status, merchant_order_ref, clink_order_ref, clink_session_ref)
    VALUES (${event.id}, ${event.type}, ${event.payload}, ${event.bodyHash}, 'processed', ${event.merchantOrderRef},
            ${event.clinkOrderRef}, ${event.clinkSessionRef})
    ON CONFLICT (id) DO NOTHING RETURNING id`;
  return inserted.count === 1;
}

export async function findBodyHash(sql: Sql | Transaction, id: string): Promise<string | undefined> {
  const [row] = await sql<{ bodyHash: string }[]>`SELECT body_hash FROM webhook_events WHERE id = ${id}`;
  return row?.bodyHash;
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

/** Keeps an event that this transaction has stored for a later decision. */
export function markPending(tx: Transaction, id: string) {
  return tx`UPDATE webhook_events SET status = 'pending' WHERE id = ${id}`;
}

export function markProcessed(tx: Transaction, id: string) {
  return tx`UPDATE webhook_events SET status = 'processed', updated_at = now() WHERE id = ${id} AND status = 'pending'`;
}
