import type { Sql } from './connection.ts';

/**
 * Lets one outbox claim at a time hand this order's refunds to the merchant's policy. Returns the largest cumulative
 * amount handed over so far, or null while another claim with a live lease is at it. A claim whose lease ran out holds
 * nothing any more.
 */
export async function acquireRefundPolicy(
  sql: Sql,
  merchantOrderId: string,
  claimToken: string,
): Promise<string | null> {
  const [row] = await sql<{ applied: string }[]>`
    UPDATE merchant_orders SET refund_policy_claim = ${claimToken}
    WHERE id = ${merchantOrderId}
      AND (refund_policy_claim IS NULL OR refund_policy_claim = ${claimToken} OR NOT EXISTS (
        SELECT FROM outbox
        WHERE task = 'apply_refund_policy' AND order_id = ${merchantOrderId} AND status = 'processing'
          AND claim_token = refund_policy_claim AND lease_until > now()))
    RETURNING applied_refund_amount AS applied`;
  return row?.applied ?? null;
}

/** Records what the policy has now been given, and lets the next claim in; without an amount, only the latter. */
export async function releaseRefundPolicy(
  sql: Sql,
  merchantOrderId: string,
  claimToken: string,
  appliedAmount: string | null,
): Promise<void> {
  await sql`
    UPDATE merchant_orders
    SET applied_refund_amount = GREATEST(applied_refund_amount, ${appliedAmount}::numeric), refund_policy_claim = NULL,
        updated_at = now()
    WHERE id = ${merchantOrderId} AND refund_policy_claim = ${claimToken}`;
}
