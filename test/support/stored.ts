import type { Sql } from '../../functions/database/connection.ts';

/** What the database holds about one order, in the words of its columns. */

export async function storedOrder(owner: Sql, id: string) {
  const [row] = await owner<
    {
      paymentStatus: string;
      fulfillmentStatus: string;
      clinkSessionStatus: string;
      clinkSessionLastEventCreated: number | null;
      currentClinkOrderId: string | null;
      currentAttemptConfirmed: boolean;
      refundablePaidClinkOrderId: string | null;
      refundablePaidAmount: string | null;
      refundablePaidCurrency: string | null;
      refundedAmount: string;
    }[]
  >`SELECT payment_status, fulfillment_status, clink_session_status, clink_session_last_event_created, current_clink_order_id,
           current_attempt_confirmed, refundable_paid_clink_order_id, trim_scale(refundable_paid_amount) AS refundable_paid_amount,
           refundable_paid_currency, trim_scale(refunded_amount) AS refunded_amount
    FROM merchant_orders WHERE id = ${id}`;
  return row;
}

export async function storedAttempt(owner: Sql, clinkOrderId: string) {
  const [row] = await owner<
    {
      merchantOrderId: string;
      status: string;
      attemptCreatedAt: number | null;
      lastEventCreated: number;
      failureCode: string | null;
      failureMessage: string | null;
    }[]
  >`SELECT merchant_order_id, status, attempt_created_at, last_event_created, failure_code, failure_message
    FROM payment_attempts WHERE clink_order_id = ${clinkOrderId}`;
  return row;
}

/** Tasks queued for an order, by name, oldest first. */
export async function tasksOf(owner: Sql, merchantOrderId: string): Promise<string[]> {
  const rows = await owner<{ task: string }[]>`SELECT task FROM outbox WHERE order_id = ${merchantOrderId} ORDER BY id`;
  return rows.map(({ task }) => task);
}

export async function casesOf(owner: Sql, merchantOrderId: string) {
  return owner<{ dedupeKey: string; reason: string; evidence: Record<string, unknown>; status: string }[]>`
    SELECT dedupe_key, reason, evidence, status FROM reconciliation_cases
    WHERE merchant_order_id = ${merchantOrderId} ORDER BY created_at, dedupe_key`;
}

export async function eventStatus(owner: Sql, id: string): Promise<string | undefined> {
  const [row] = await owner<{ status: string }[]>`SELECT status FROM webhook_events WHERE id = ${id}`;
  return row?.status;
}

export async function refundsOf(owner: Sql, merchantOrderId: string) {
  return owner<{ refundId: string; amount: string; currency: string; clinkOrderId: string; firstEventId: string }[]>`
    SELECT refund_id, trim_scale(amount) AS amount, currency, clink_order_id, first_event_id FROM refunds
    WHERE merchant_order_id = ${merchantOrderId} ORDER BY refund_id`;
}

/** Reason codes of the order's decisions, oldest first. */
export async function journalOf(owner: Sql, merchantOrderId: string): Promise<string[]> {
  const rows = await owner<{ reason: string }[]>`
    SELECT reason FROM order_journal WHERE merchant_order_id = ${merchantOrderId} ORDER BY id`;
  return rows.map(({ reason }) => reason);
}

/** The part of an order that its checkout writes. */
export async function storedCheckout(owner: Sql, id: string) {
  const [row] = await owner<
    {
      customerId: string;
      productSnapshot: Record<string, unknown>;
      amount: string;
      currency: string;
      paymentStatus: string;
      clinkSessionId: string | null;
      clinkCheckoutUrl: string | null;
    }[]
  >`SELECT customer_id, product_snapshot, trim_scale(original_amount) AS amount, original_currency AS currency,
           payment_status, clink_session_id, clink_checkout_url
    FROM merchant_orders WHERE id = ${id}`;
  return row;
}
