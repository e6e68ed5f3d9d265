import { advanceCurrentAttempt } from './current-attempt.ts';
import type { Decision, ReasonCode, ReviewReason } from './decision.ts';
import { Draft, decisionWithoutOrder } from './draft.ts';
import type { OrderEvent } from './event.ts';
import { attemptEvidence, orderEvidence } from './evidence.ts';
import type { MerchantOrder, PaymentAttempt } from './order.ts';
import { aggregatePayment } from './payment-status.ts';
import { bookRefundBasis } from './refund-basis.ts';

export interface OrderEventFacts {
  /** The merchant order that the event names, locked; null when we have no such order. */
  readonly order: MerchantOrder | null;
  readonly attempts: readonly PaymentAttempt[];
  /** The stored attempt with the event's Clink order id, whoever owns it. */
  readonly storedAttempt: PaymentAttempt | null;
}

/** An order event whose identifiers are all there. */
interface Arrival {
  readonly event: OrderEvent;
  readonly clinkOrderId: string;
  readonly clinkSessionId: string;
  readonly created: number;
}

/**
 * What one of the four `order.*` events means for its order. The event's type decides, never a status in its body; both
 * the reference and the session must be ours; the stored owner of an attempt wins over any later claim to it.
 */
export function decideOrderEvent(event: OrderEvent, facts: OrderEventFacts): Decision {
  const { order, storedAttempt } = facts;
  if (!order) return withoutOrder(event);
  const draft = new Draft(order, facts.attempts);

  const { clinkOrderId, clinkSessionId, created } = event;
  if (clinkOrderId === null || clinkSessionId === null || created === null) {
    return ownershipReview(draft, event, null, 'order_event_missing_required_identifier');
  }
  // The checkout may still be writing down the session that Clink has just given it: not foreign, only early.
  if (order.clinkSessionId === null) return draft.deferred('session_not_saved_yet', clinkOrderId);
  if (order.clinkSessionId !== clinkSessionId) {
    return ownershipReview(draft, event, storedAttempt, 'order_event_session_mismatch');
  }
  if (storedAttempt && !owns(order, storedAttempt)) {
    return ownershipReview(draft, event, storedAttempt, 'payment_attempt_ownership_conflict');
  }
  return decideArrival(draft, { event, clinkOrderId, clinkSessionId, created }, storedAttempt);
}

function withoutOrder(event: OrderEvent): Decision {
  if (event.merchantOrderId !== null) return decisionWithoutOrder('deferred', 'order_unknown', event.clinkOrderId);
  if (event.recurring) return decisionWithoutOrder('done', 'recurring_order_not_ours', event.clinkOrderId);
  return decisionWithoutOrder('deferred', 'reference_missing', event.clinkOrderId);
}

function owns(order: MerchantOrder, attempt: PaymentAttempt): boolean {
  return attempt.merchantOrderId === order.id && attempt.clinkSessionId === order.clinkSessionId;
}

function decideArrival(draft: Draft, arrival: Arrival, stored: PaymentAttempt | null): Decision {
  const { event, clinkOrderId, created } = arrival;
  const reason = stored ? convergeAttempt(draft, stored, arrival) : insertAttempt(draft, arrival);

  if (event.attemptStatus === 'succeeded' && draft.attempt(clinkOrderId)?.status === 'succeeded') {
    const conflict = bookRefundBasis(draft, clinkOrderId, event);
    if (conflict) {
      aggregatePayment(draft, event.id);
      return draft.review(conflict);
    }
  }
  if (event.type === 'order.created') advanceCurrentAttempt(draft, clinkOrderId, created, stored === null);

  const isOpen = reason === 'attempt_status_tie' || reason === 'success_contradicts_status';
  // An event that waits for the order's answer must not be closed by the session's, which may come first.
  const settled = aggregatePayment(draft, isOpen ? null : event.id);
  if (isOpen) {
    // One query for each ambiguity, not one for each attempt: a later tie of the same attempt is a new question.
    draft.queue('reconcile_attempt', `reconcile_attempt:${clinkOrderId}:${event.id}`, clinkOrderId);
    return draft.deferred(reason, clinkOrderId);
  }
  return settled ? draft.done(reason, clinkOrderId) : draft.deferred('attempt_order_ambiguous', clinkOrderId);
}

function insertAttempt(draft: Draft, { event, clinkOrderId, clinkSessionId, created }: Arrival): ReasonCode {
  const isCreation = event.type === 'order.created';
  draft.insertAttempt({
    clinkOrderId,
    merchantOrderId: draft.order.id,
    clinkSessionId,
    status: event.attemptStatus,
    attemptCreatedAt: isCreation ? created : null,
    lastEventCreated: created,
    failureCode: event.failureCode,
    failureMessage: event.failureMessage,
  });
  // Clink's last word on the current attempt was given before this one existed.
  const { currentAttemptConfirmed, currentClinkOrderId } = draft.order;
  if (!isCreation && currentAttemptConfirmed && currentClinkOrderId !== clinkOrderId) {
    draft.patchOrder({ currentAttemptConfirmed: false });
  }
  return 'attempt_inserted';
}

/** Moves a stored attempt forward by one event: its own event times order its statuses, and a final status stays. */
function convergeAttempt(draft: Draft, stored: PaymentAttempt, { event, created }: Arrival): ReasonCode {
  const { clinkOrderId, status, lastEventCreated, attemptCreatedAt } = stored;
  if (event.type === 'order.created') {
    if (attemptCreatedAt !== null) return 'attempt_event_repeated';
    draft.patchAttempt(clinkOrderId, { attemptCreatedAt: created });
    return 'attempt_time_filled';
  }
  // `pending` is what order.created leaves behind, and a creation precedes every status even within one millisecond.
  const isNewer = created > lastEventCreated || (created === lastEventCreated && status === 'pending');
  const isFinal = status === 'succeeded' || status === 'failed';
  if (event.attemptStatus === 'succeeded' && status !== 'succeeded' && (isFinal || !isNewer)) {
    return created === lastEventCreated ? 'attempt_status_tie' : 'success_contradicts_status';
  }
  if (!isNewer) {
    if (created < lastEventCreated) return 'attempt_event_outdated';
    return event.attemptStatus === status ? 'attempt_event_repeated' : 'attempt_status_tie';
  }
  if (isFinal) return 'attempt_already_final';
  draft.patchAttempt(clinkOrderId, {
    status: event.attemptStatus,
    lastEventCreated: created,
    failureCode: event.failureCode,
    failureMessage: event.failureMessage,
  });
  return 'attempt_advanced';
}

/** One case for each order and attempt, however often and under whatever event id the conflict is delivered again. */
function ownershipReview(
  draft: Draft,
  event: OrderEvent,
  storedAttempt: PaymentAttempt | null,
  reason: ReviewReason,
): Decision {
  return draft.review({
    dedupeKey: `order_ownership_conflict:${draft.order.id}:${event.clinkOrderId ?? `event:${event.id}`}`,
    reason,
    clinkOrderId: event.clinkOrderId,
    evidence: {
      eventId: event.id,
      eventType: event.type,
      eventCreated: event.created,
      incoming: {
        merchantOrderId: event.merchantOrderId,
        clinkSessionId: event.clinkSessionId,
        clinkOrderId: event.clinkOrderId,
      },
      storedMerchantOrder: orderEvidence(draft.order),
      storedAttempt: attemptEvidence(storedAttempt),
    },
  });
}
