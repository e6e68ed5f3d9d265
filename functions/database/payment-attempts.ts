import type { AttemptPatch } from '../decisions/decision.ts';
import type { PaymentAttempt } from '../decisions/order.ts';
import type { Sql, Transaction } from './connection.ts';

const attemptColumns = (sql: Sql | Transaction) => sql`
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

/**
 * The attempts of the order, and the named one whoever owns it; and whether an event waits for something about them. One
 * statement, because on the way of every payment a second one would cost more than what it reads.
 */
export async function listAttemptsAndNamed(
  tx: Transaction,
  {
    merchantOrderId,
    clinkOrderId,
    clinkSessionId,
  }: Record<'merchantOrderId' | 'clinkOrderId' | 'clinkSessionId', string | null>,
): Promise<{ found: PaymentAttempt[]; isAwaited: boolean }> {
  const rows = await tx<(PaymentAttempt & { isAwaited: boolean })[]>`
    SELECT found.*, is_awaited FROM (
      SELECT EXISTS (SELECT FROM webhook_events WHERE status = 'pending' AND merchant_order_ref = ${merchantOrderId})
          OR EXISTS (SELECT FROM webhook_events WHERE status = 'pending' AND clink_session_ref = ${clinkSessionId})
          OR EXISTS (SELECT FROM webhook_events WHERE status = 'pending' AND clink_order_ref = ${clinkOrderId})
          OR EXISTS (SELECT FROM payment_attempts AS own JOIN webhook_events AS event
                       ON event.status = 'pending' AND event.clink_order_ref = own.clink_order_id
                     WHERE own.merchant_order_id = ${merchantOrderId}) AS is_awaited
    ) AS events LEFT JOIN (
      SELECT ${attemptColumns(tx)} FROM payment_attempts WHERE merchant_order_id = ${merchantOrderId}
      UNION SELECT ${attemptColumns(tx)} FROM payment_attempts WHERE clink_order_id = ${clinkOrderId}
    ) AS found ON TRUE`;
  const found = rows.filter((row) => row.clinkOrderId !== null).map(({ isAwaited: _, ...attempt }) => attempt);
  return { found, isAwaited: rows.some(({ isAwaited }) => isAwaited) };
}

/** All attempts of the order that owns the named attempt. */
export async function listSiblingAttempts(tx: Transaction, clinkOrderId: string | null): Promise<PaymentAttempt[]> {
  return tx<PaymentAttempt[]>`
    SELECT ${attemptColumns(tx)} FROM payment_attempts
    WHERE merchant_order_id = (SELECT merchant_order_id FROM payment_attempts WHERE clink_order_id = ${clinkOrderId})`;
}

/** Inserts the first sight of an attempt. The primary key chooses its owner: the loser fails with a unique violation. */
export function insertAttempt(tx: Transaction, attempt: PaymentAttempt) {
  return tx`INSERT INTO payment_attempts ${tx({ ...attempt })}`;
}

export function updateAttempt(tx: Transaction, clinkOrderId: string, patch: AttemptPatch) {
  return tx`UPDATE payment_attempts SET ${tx(patch)}, updated_at = now() WHERE clink_order_id = ${clinkOrderId}`;
}
