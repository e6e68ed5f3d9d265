import type { Sql } from '../../functions/database/connection.ts';

/** An order that was paid with 100 USD and waits for its delivery. */
export async function insertPaidOrder(owner: Sql, id: string): Promise<void> {
  const snapshot = { id: 'prod_1', name: 'Poster', unitAmount: '50', quantity: 2 };
  const clinkOrderId = `clink_${id}`;
  await owner`
    INSERT INTO merchant_orders (id, customer_id, product_snapshot, original_amount, original_currency, clink_session_id)
    VALUES (${id}, 'cust_1', ${owner.json(snapshot)}, 100, 'USD', ${`sess_${id}`})`;
  await owner`
    INSERT INTO payment_attempts (clink_order_id, merchant_order_id, clink_session_id, status, last_event_created)
    VALUES (${clinkOrderId}, ${id}, ${`sess_${id}`}, 'succeeded', 1)`;
  await owner`
    UPDATE merchant_orders
    SET payment_status = 'paid', fulfillment_status = 'pending', refundable_paid_clink_order_id = ${clinkOrderId},
        refundable_paid_amount = 100, refundable_paid_currency = 'USD'
    WHERE id = ${id}`;
}

export async function orderRow(owner: Sql, id: string) {
  const [row] = await owner<
    { fulfillmentStatus: string; appliedRefundAmount: string; refundPolicyClaim: string | null }[]
  >`
    SELECT fulfillment_status, trim_scale(applied_refund_amount) AS applied_refund_amount, refund_policy_claim
    FROM merchant_orders WHERE id = ${id}`;
  return row;
}

/** A conflict filed for an order, with nobody told of it yet. */
export async function insertCase(owner: Sql, caseKey: string, merchantOrderId: string): Promise<void> {
  await owner`
    INSERT INTO reconciliation_cases (dedupe_key, event_id, merchant_order_id, reason, evidence)
    VALUES (${caseKey}, 'evt_1', ${merchantOrderId}, 'refund_total_exceeds_payment_basis', '{"refunded": "120"}')`;
}

export async function caseStatus(owner: Sql, caseKey: string): Promise<string | undefined> {
  const [row] = await owner<
    { status: string }[]
  >`SELECT status FROM reconciliation_cases WHERE dedupe_key = ${caseKey}`;
  return row?.status;
}
