import type { Refund } from '../decisions/order.ts';
import type { Transaction } from './connection.ts';

const refundColumns = (tx: Transaction) => tx`
  refund_id, merchant_order_id, clink_order_id, trim_scale(amount) AS amount, currency`;

export async function findRefund(tx: Transaction, refundId: string | null): Promise<Refund | null> {
  const [refund] = await tx<Refund[]>`SELECT ${refundColumns(tx)} FROM refunds WHERE refund_id = ${refundId}`;
  return refund ?? null;
}

/** All refunds of the order that owns the named attempt. */
export async function listRefundsOfAttemptOwner(tx: Transaction, clinkOrderId: string | null): Promise<Refund[]> {
  return tx<Refund[]>`
    SELECT ${refundColumns(tx)} FROM refunds
    WHERE merchant_order_id = (SELECT merchant_order_id FROM payment_attempts WHERE clink_order_id = ${clinkOrderId})`;
}

/** Books a refund for good: fails with a unique violation when its id is taken, and no role of the application may change it. */
export function insertRefund(tx: Transaction, refund: Refund, firstEventId: string) {
  return tx`INSERT INTO refunds ${tx({ ...refund, firstEventId })}`;
}
