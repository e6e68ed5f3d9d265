import type { Decision, Evidence, ReviewReason } from './decision.ts';
import { Draft } from './draft.ts';
import type { OrderAnswer } from './event.ts';
import { attemptEvidence, basisEvidence, orderAnswerEvidence, refundEvidence } from './evidence.ts';
import { Money } from './money.ts';
import type { MerchantOrder, PaymentAttempt, Refund } from './order.ts';
import { isAboutAttempt } from './order-answer.ts';
import { bookRefundBasis } from './refund-basis.ts';
import { advanceRefundStatus, isBehind, refundStatusOf } from './refund-status.ts';

export interface RefundAnswerFacts {
  readonly order: MerchantOrder;
  readonly attempt: PaymentAttempt | null;
  readonly refund: Refund | null;
}

/**
 * What Clink's answer about a refunded attempt means. Clink updates the order after the refund event, so an answer that
 * is behind the locked local total is asked for again: no later event would repair a total settled too early. Every
 * refund queues its own policy task, with the cumulative amount as it stands under the lock.
 */
export function decideRefundAnswer(
  question: { readonly eventId: string; readonly clinkOrderId: string; readonly refundId: string },
  answer: OrderAnswer,
  facts: RefundAnswerFacts,
): Decision {
  const { order, attempt, refund } = facts;
  const { clinkOrderId, refundId } = question;
  const draft = new Draft(order, attempt ? [attempt] : []);
  const dedupeKey = `refund_conflict:${refundId}`;
  const review = (reason: ReviewReason, evidence: Evidence): Decision =>
    draft.review({ dedupeKey, reason, clinkOrderId, refundId, evidence });
  const evidence = {
    requestedClinkOrderId: clinkOrderId,
    returnedOrder: orderAnswerEvidence(answer),
    storedAttempt: attemptEvidence(attempt),
    storedRefund: refundEvidence(refund),
    storedBasis: basisEvidence(order),
  };
  const isOurs = attempt?.merchantOrderId === order.id && attempt.clinkSessionId === order.clinkSessionId;
  if (!isOurs || !isAboutAttempt(answer, attempt)) return review('refund_order_query_ownership_conflict', evidence);

  const status = refundStatusOf(answer.status);
  if (!status) return draft.deferred('order_not_settled', clinkOrderId);
  if (order.refundBasis && order.refundBasis.clinkOrderId !== clinkOrderId) {
    return review('refund_reconciliation_order_conflict', evidence);
  }
  const conflict = bookRefundBasis(draft, clinkOrderId, answer, dedupeKey);
  if (conflict) return draft.review({ ...conflict, refundId });

  const paid = new Money(draft.order.refundBasis?.amount ?? 0);
  const expected = paid.lessThanOrEqualTo(order.refundedAmount) ? 'refunded' : 'partial_refunded';
  if (isBehind(status, expected)) return draft.deferred('refund_status_behind', clinkOrderId);

  advanceRefundStatus(draft, status);
  draft.queue('apply_refund_policy', `apply_refund_policy:${refundId}`, clinkOrderId, {
    refundId,
    orderStatus: status,
    refundedAmount: order.refundedAmount,
    paymentCurrency: draft.order.refundBasis?.currency ?? null,
  });
  return draft.done('refund_status_settled', clinkOrderId);
}
