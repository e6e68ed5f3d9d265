import type { PaymentAttempt } from '../decisions/order.ts';
import type { Transaction } from './connection.ts';
import { attemptColumns } from './payment-attempts.ts';

export interface OrderEventReferences {
  readonly id: string;
  readonly merchantOrderId: string | null;
  readonly clinkOrderId: string | null;
  readonly clinkSessionId: string | null;
}

export interface OrderEventFacts {
  /** The attempts of the order, and the named one whoever owns it. */
  readonly attempts: readonly PaymentAttempt[];
  /** Whether an event waits for something about the order. */
  readonly isAwaited: boolean;
  /** Of the event with this id, if it has been here before. */
  readonly storedBodyHash: string | null;
}

type Row = PaymentAttempt & Pick<OrderEventFacts, 'isAwaited' | 'storedBodyHash'>;

/**
 * What an event about an attempt is decided from, but for the order itself, whose row this transaction has locked. One
 * statement, because on the way of every payment each costs more than what it reads.
 */
export async function readOrderEventFacts(
  tx: Transaction,
  { id, merchantOrderId, clinkOrderId, clinkSessionId }: OrderEventReferences,
): Promise<OrderEventFacts> {
  const rows = await tx<Row[]>`
    SELECT found.*, is_awaited, stored_body_hash FROM (
      SELECT (SELECT body_hash FROM webhook_events WHERE id = ${id}) AS stored_body_hash,
             EXISTS (SELECT FROM webhook_events WHERE status = 'pending' AND merchant_order_ref = ${merchantOrderId})
          OR EXISTS (SELECT FROM webhook_events WHERE status = 'pending' AND clink_session_ref = ${clinkSessionId})
          OR EXISTS (SELECT FROM webhook_events WHERE status = 'pending' AND clink_order_ref = ${clinkOrderId})
          OR EXISTS (SELECT FROM payment_attempts AS own JOIN webhook_events AS event
                       ON event.status = 'pending' AND event.clink_order_ref = own.clink_order_id
                     WHERE own.merchant_order_id = ${merchantOrderId}) AS is_awaited
    ) AS events LEFT JOIN (
      SELECT ${attemptColumns(tx)} FROM payment_attempts WHERE merchant_order_id = ${merchantOrderId}
      UNION ALL SELECT ${attemptColumns(tx)} FROM payment_attempts
        WHERE clink_order_id = ${clinkOrderId} AND merchant_order_id IS DISTINCT FROM ${merchantOrderId}
    ) AS found ON TRUE`;
  const [first] = rows;
  return {
    attempts: rows
      .filter((row) => row.clinkOrderId !== null)
      .map(({ isAwaited: _awaited, storedBodyHash: _hash, ...attempt }) => attempt),
    isAwaited: first?.isAwaited ?? false,
    storedBodyHash: first?.storedBodyHash ?? null,
  };
}
