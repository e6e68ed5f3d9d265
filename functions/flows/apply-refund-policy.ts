import type { Sql } from '../database/connection.ts';
import type { OwnedTask } from '../database/outbox.ts';
import { endPolicyTurn, takePolicyTurn } from '../database/refund-policy.ts';
import { inTransaction } from '../database/transaction.ts';
import type { RefundPolicy, RefundState } from '../merchant/refund-policy.ts';
import { log, loggable } from '../platform/log.ts';
import type { Ownership } from './ownership.ts';
import { TaskFailedError } from './task-failed.ts';
import { requiredOrderId, requiredText } from './task-payload.ts';

export interface RefundPolicyFlow {
  readonly sql: Sql;
  readonly refundPolicy: RefundPolicy;
}

type PolicyTask = Pick<OwnedTask, 'merchantOrderId' | 'payload'>;

/**
 * Tells the merchant how much of an order has been given back by now. One call of an order at a time, and never an amount
 * below one that the merchant may have been told already: a refund that a later one has overtaken needs no call.
 */
export async function applyRefundPolicy({ sql, refundPolicy }: RefundPolicyFlow, task: PolicyTask, lease: Ownership) {
  const state = readState(task);
  const { merchantOrderId, refundId, refundedAmount } = state;
  const { claimToken, signal } = lease;
  const turn = await inTransaction(sql, async (tx) => ({
    result: await takePolicyTurn(tx, { merchantOrderId, claimToken, refundedAmount }),
    writes: [],
  }));
  if (turn === 'overtaken')
    return log.info('refund_policy_overtaken', { merchantOrderId, refundId: loggable(refundId) });
  if (turn === 'busy') throw new TaskFailedError('refund_policy_busy', { permanent: false });
  if (turn === 'order_missing') throw new TaskFailedError('order_missing', { permanent: false });

  try {
    // The turn ends with the lease, and a lease that has ended stays so: still ours means that nobody else had the turn.
    await lease.ensureOwned();
    await refundPolicy.apply(state, { idempotencyKey: refundId, signal });
  } finally {
    await endPolicyTurn(sql, merchantOrderId, claimToken);
  }
}

function readState(task: PolicyTask): RefundState {
  return {
    merchantOrderId: requiredOrderId(task),
    refundId: requiredText(task, 'refundId'),
    orderStatus: requiredText(task, 'orderStatus') === 'refunded' ? 'refunded' : 'partial_refunded',
    refundedAmount: requiredText(task, 'refundedAmount'),
    paymentCurrency: requiredText(task, 'paymentCurrency'),
  };
}
