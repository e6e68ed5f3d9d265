import type { Decision, ReviewReason } from './decision.ts';
import { Draft, decisionWithoutOrder } from './draft.ts';
import type { SessionEvent } from './event.ts';
import { orderEvidence, shown } from './evidence.ts';
import type { MerchantOrder } from './order.ts';

/**
 * What the end of a Clink session means: it moves the order's session status and nothing else. A completed session is no
 * proof of payment, an expired one no proof of failure. Envelope times order the two; equal times settle nothing.
 */
export function decideSessionEvent(event: SessionEvent, order: MerchantOrder | null): Decision {
  if (!order) {
    const reason = event.merchantOrderId === null ? 'reference_missing' : 'order_unknown';
    return decisionWithoutOrder('deferred', reason, event.clinkOrderId);
  }
  const draft = new Draft(order, []);
  const review = (reason: ReviewReason): Decision => sessionReview(draft, event, reason);

  if (event.clinkSessionId === null) return review('session_event_missing_required_identifier');
  if (order.clinkSessionId === null) return draft.deferred('session_not_saved_yet');
  if (order.clinkSessionId !== event.clinkSessionId) return review('session_event_ownership_conflict');
  if (event.created === null) return review('session_event_invalid_created');
  if (event.statedStatus !== null && event.statedStatus !== event.sessionStatus) {
    return review('session_event_status_mismatch');
  }
  const previous = order.sessionEventCreated;
  if (previous !== null && event.created < previous) return draft.done('session_event_outdated');
  if (previous === event.created) {
    return order.sessionStatus === event.sessionStatus
      ? draft.done('session_event_repeated')
      : review('session_terminal_same_version_conflict');
  }
  draft.patchOrder({ sessionStatus: event.sessionStatus, sessionEventCreated: event.created });
  return draft.done('session_advanced');
}

function sessionReview(draft: Draft, event: SessionEvent, reason: ReviewReason): Decision {
  return draft.review({
    dedupeKey: `session_review:${draft.order.id}:${reason}:${event.type}:${event.clinkSessionId ?? 'missing'}`,
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
        status: shown(event.statedStatus),
      },
      storedMerchantOrder: orderEvidence(draft.order),
    },
  });
}
