import type { Sql, Transaction } from './connection.ts';

export type PolicyTurn = 'ours' | 'overtaken' | 'busy' | 'order_missing';

/**
 * Lets one outbox claim at a time hand this order's refunds to the merchant's policy; a claim whose lease ran out holds
 * nothing any more. The amount counts as handed over from here on, because a call that fails may have arrived: a smaller
 * one is `overtaken` then, and the same one may be tried again. The order is locked first, so that what the second
 * statement sees is as new as its turn.
 */
export async function takePolicyTurn(
  tx: Transaction,
  turn: { merchantOrderId: string; claimToken: string; refundedAmount: string },
): Promise<PolicyTurn> {
  const { merchantOrderId, claimToken, refundedAmount } = turn;
  const [[order], taken] = await Promise.all([
    tx<{ isOvertaken: boolean }[]>`
      SELECT applied_refund_amount > ${refundedAmount}::numeric AS is_overtaken
      FROM merchant_orders WHERE id = ${merchantOrderId} FOR UPDATE`,
    tx`
      UPDATE merchant_orders
      SET refund_policy_claim = ${claimToken}, applied_refund_amount = ${refundedAmount}, updated_at = now()
      WHERE id = ${merchantOrderId} AND applied_refund_amount <= ${refundedAmount}::numeric
        AND (refund_policy_claim IS NULL OR refund_policy_claim = ${claimToken} OR NOT EXISTS (
          SELECT FROM outbox
          WHERE task = 'apply_refund_policy' AND order_id = ${merchantOrderId} AND status = 'processing'
            AND claim_token = refund_policy_claim AND lease_until > now()))`,
  ]);
  if (!order) return 'order_missing';
  if (order.isOvertaken) return 'overtaken';
  return taken.count === 1 ? 'ours' : 'busy';
}

/** Lets the next claim in. */
export async function endPolicyTurn(sql: Sql, merchantOrderId: string, claimToken: string): Promise<void> {
  await sql`
    UPDATE merchant_orders SET refund_policy_claim = NULL
    WHERE id = ${merchantOrderId} AND refund_policy_claim = ${claimToken}`;
}
