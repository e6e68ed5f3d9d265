import type { Sql } from '../../../functions/database/connection.ts';

export interface OrderToTellOf {
  readonly clinkSessionId: string | null;
  /** The Clink order that paid, else the latest known one. */
  readonly clinkOrderId: string | null;
  readonly amount: string;
  readonly currency: string;
}

export async function findOrderToTellOf(sql: Sql, merchantOrderId: string): Promise<OrderToTellOf | undefined> {
  const [order] = await sql<OrderToTellOf[]>`
    SELECT clink_session_id, COALESCE(refundable_paid_clink_order_id, current_clink_order_id) AS clink_order_id,
           trim_scale(original_amount) AS amount, original_currency AS currency
    FROM merchant_orders WHERE id = ${merchantOrderId}`;
  return order;
}

export interface BookedOrder {
  readonly paymentStatus: string;
  readonly fulfillmentStatus: string;
  /** `Clink order / amount / currency`, null while nothing is paid. */
  readonly refundBasis: string | null;
  readonly fulfillTasks: number;
  readonly cases: number;
}

export async function findBookedOrder(sql: Sql, merchantOrderId: string): Promise<BookedOrder | undefined> {
  const [order] = await sql<BookedOrder[]>`
    SELECT payment_status, fulfillment_status,
           refundable_paid_clink_order_id || ' / ' || trim_scale(refundable_paid_amount) || ' / ' || refundable_paid_currency
             AS refund_basis,
           (SELECT count(*)::int FROM outbox WHERE task = 'fulfill' AND order_id = ${merchantOrderId}) AS fulfill_tasks,
           (SELECT count(*)::int FROM reconciliation_cases WHERE merchant_order_id = ${merchantOrderId}) AS cases
    FROM merchant_orders WHERE id = ${merchantOrderId}`;
  return order;
}
