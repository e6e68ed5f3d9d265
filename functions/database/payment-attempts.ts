import type { AttemptPatch } from '../decisions/decision.ts';
import type { PaymentAttempt } from '../decisions/order.ts';
import type { Sql, Transaction } from './connection.ts';

/** The columns of a `PaymentAttempt`. */
export const attemptColumns = (sql: Sql | Transaction) => sql`
  clink_order_id, merchant_order_id, clink_session_id, status, attempt_created_at, last_event_created, failure_code,
  failure_message`;

export async function findAttempt(sql: Sql | Transaction, clinkOrderId: string | null): Promise<PaymentAttempt | null> {
  const [attempt] = await sql<PaymentAttempt[]>`
    SELECT ${attemptColumns(sql)} FROM payment_attempts WHERE clink_order_id = ${clinkOrderId}`;
  return attempt ?? null;
}

export async function listAttempts(sql: Sql | Transaction, merchantOrderId: string | null): Promise<PaymentAttempt[]> {
  return sql<PaymentAttempt[]>`
    SELECT ${attemptColumns(sql)} FROM payment_attempts WHERE merchant_order_id = ${merchantOrderId}`;
}

/** All attempts of the order that owns the named attempt. */
export async function listSiblingAttempts(tx: Transaction, clinkOrderId: string | null): Promise<PaymentAttempt[]> {
  return tx<PaymentAttempt[]>`
    SELECT ${attemptColumns(tx)} FROM payment_attempts
    WHERE merchant_order_id = (SELECT merchant_order_id FROM payment_attempts WHERE clink_order_id = ${clinkOrderId})`;
}

/**
 * Keeps every other event about an attempt waiting until the transaction ends. A refund may come before its attempt, when
 * there is no row to lock and nobody knows of which order it is. Taken before the order's row on every path.
 */
export async function lockAttempt(tx: Transaction, clinkOrderId: string | null): Promise<void> {
  await tx`SELECT ${attemptLock(tx, clinkOrderId)}`;
}

/** The call that `lockAttempt` makes, for a statement that locks more. */
export const attemptLock = (tx: Transaction, clinkOrderId: string | null) =>
  tx`pg_advisory_xact_lock(hashtextextended('attempt:' || ${clinkOrderId}, 0))`;

/** Inserts the first sight of an attempt. The primary key chooses its owner: the loser fails with a unique violation. */
export function insertAttempt(tx: Transaction, attempt: PaymentAttempt) {
  return tx`INSERT INTO payment_attempts ${tx({ ...attempt })}`;
}

export function updateAttempt(tx: Transaction, clinkOrderId: string, patch: AttemptPatch) {
  return tx`UPDATE payment_attempts SET ${tx(patch)}, updated_at = now() WHERE clink_order_id = ${clinkOrderId}`;
}
