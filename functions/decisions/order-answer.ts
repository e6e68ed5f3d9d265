import type { Decision } from './decision.ts';
import { Draft } from './draft.ts';
import type { OrderAnswer } from './event.ts';
import { attemptEvidence, basisEvidence, orderAnswerEvidence } from './evidence.ts';
import type { AttemptStatus, MerchantOrder, PaymentAttempt } from './order.ts';
import { aggregatePayment } from './payment-status.ts';
import { bookRefundBasis } from './refund-basis.ts';
import { advanceRefundStatus, refundStatusOf } from './refund-status.ts';

export interface OrderAnswerFacts {
  readonly order: MerchantOrder;
  readonly attempts: readonly PaymentAttempt[];
  /** The attempt as it was before Clink was asked. */
  readonly snapshot: PaymentAttempt;
}

const ATTEMPT_STATUS_OF_ORDER: ReadonlyMap<string, AttemptStatus> = new Map([
  ['success', 'succeeded'],
  ['partial_refunded', 'succeeded'],
  ['refunded', 'succeeded'],
  ['failed', 'failed'],
  ['requires_action', 'action_required'],
]);

/**
 * What Clink's answer about one attempt means, asked because events could not settle its status. An answer to a question
 * that local events have overtaken is thrown away; any status outside the map is not settled yet and asked again.
 */
export function decideOrderAnswer(eventId: string, answer: OrderAnswer, facts: OrderAnswerFacts): Decision {
  const { order, snapshot } = facts;
  const { clinkOrderId } = snapshot;
  const draft = new Draft(order, facts.attempts);
  const stored = draft.attempt(clinkOrderId);
  if (!stored || hasMoved(order, stored, snapshot)) return draft.deferred('local_state_moved', clinkOrderId);

  const evidence = {
    requestedClinkOrderId: clinkOrderId,
    returnedOrder: orderAnswerEvidence(answer),
    storedAttempt: attemptEvidence(stored),
    storedBasis: basisEvidence(order),
  };
  if (!isAboutAttempt(answer, stored)) {
    const dedupeKey = `order_query_ownership_conflict:${order.id}:${clinkOrderId}`;
    return draft.review({ dedupeKey, reason: 'order_query_ownership_conflict', clinkOrderId, evidence });
  }
  const status = ATTEMPT_STATUS_OF_ORDER.get(answer.status ?? '');
  if (!status) return draft.deferred('order_not_settled', clinkOrderId);
  if (stored.status === 'succeeded' && status !== 'succeeded') {
    const dedupeKey = `order_query_contradicts_success:${order.id}:${clinkOrderId}`;
    return draft.review({ dedupeKey, reason: 'order_query_contradicts_success', clinkOrderId, evidence });
  }
  applyStatus(draft, stored, status, answer);
  return status === 'succeeded'
    ? decideSuccess(draft, eventId, clinkOrderId, answer)
    : settle(draft, eventId, clinkOrderId);
}

/** Whether Clink answered about the attempt that was asked for, as ours in every identifier. */
export function isAboutAttempt(answer: OrderAnswer, attempt: PaymentAttempt): boolean {
  return (
    answer.clinkOrderId === attempt.clinkOrderId &&
    answer.clinkSessionId === attempt.clinkSessionId &&
    answer.merchantOrderId === attempt.merchantOrderId
  );
}

function hasMoved(order: MerchantOrder, stored: PaymentAttempt, snapshot: PaymentAttempt): boolean {
  return (
    order.clinkSessionId !== snapshot.clinkSessionId ||
    stored.status !== snapshot.status ||
    stored.lastEventCreated !== snapshot.lastEventCreated ||
    stored.attemptCreatedAt !== snapshot.attemptCreatedAt
  );
}

function applyStatus(draft: Draft, stored: PaymentAttempt, status: AttemptStatus, answer: OrderAnswer): void {
  const failureCode = status === 'failed' ? answer.failureCode : null;
  const failureMessage = status === 'failed' ? answer.failureMessage : null;
  const isSame =
    stored.status === status && stored.failureCode === failureCode && stored.failureMessage === failureMessage;
  if (!isSame) draft.patchAttempt(stored.clinkOrderId, { status, failureCode, failureMessage });
}

function decideSuccess(draft: Draft, eventId: string, clinkOrderId: string, answer: OrderAnswer): Decision {
  const conflict = bookRefundBasis(draft, clinkOrderId, answer);
  if (conflict) {
    aggregatePayment(draft, eventId);
    return draft.review(conflict);
  }
  const refundStatus = refundStatusOf(answer.status);
  if (!refundStatus) return settle(draft, eventId, clinkOrderId);

  advanceRefundStatus(draft, refundStatus);
  if (refundStatus === 'partial_refunded' && draft.order.fulfillmentStatus === 'none') {
    // Money was kept but nothing was delivered, and whether the rest is still owed is not for a program to say.
    return draft.review({
      dedupeKey: `refunded_before_fulfillment:${draft.order.id}`,
      reason: 'refunded_before_fulfillment',
      clinkOrderId,
      evidence: { returnedOrder: orderAnswerEvidence(answer), storedBasis: basisEvidence(draft.order) },
    });
  }
  return draft.done('attempt_confirmed_by_order', clinkOrderId);
}

function settle(draft: Draft, eventId: string, clinkOrderId: string): Decision {
  return aggregatePayment(draft, eventId)
    ? draft.done('attempt_confirmed_by_order', clinkOrderId)
    : draft.deferred('attempt_order_ambiguous', clinkOrderId);
}
