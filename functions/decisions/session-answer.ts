import type { Decision, ReviewReason } from './decision.ts';
import { Draft } from './draft.ts';
import type { SessionAnswer } from './event.ts';
import { attemptEvidence, basisEvidence, sessionAnswerEvidence } from './evidence.ts';
import type { MerchantOrder, PaymentAttempt } from './order.ts';
import { aggregatePayment } from './payment-status.ts';

/** The local state that a session question was asked about. */
export interface SessionSnapshot {
  readonly order: MerchantOrder;
  readonly attempts: readonly PaymentAttempt[];
}

export interface SessionAnswerFacts extends SessionSnapshot {
  readonly snapshot: SessionSnapshot;
  /** The stored attempt that the answer names, whoever owns it. */
  readonly namedAttempt: PaymentAttempt | null;
}

/**
 * What Clink's answer about a session means: it names the current attempt, which is the one thing that creation times
 * could not tell. Only this confirmation breaks a tie; an answer without an attempt is not an answer yet.
 */
export function decideSessionAnswer(eventId: string, answer: SessionAnswer, facts: SessionAnswerFacts): Decision {
  const { order, namedAttempt, snapshot } = facts;
  const { clinkOrderId } = answer;
  const draft = new Draft(order, facts.attempts);
  if (fingerprint(facts) !== fingerprint(snapshot)) return draft.deferred('local_state_moved', clinkOrderId);

  const review = (reason: ReviewReason, dedupeKey: string): Decision =>
    draft.review({
      dedupeKey,
      reason,
      clinkOrderId,
      evidence: {
        requestedSessionId: order.clinkSessionId,
        returnedSession: sessionAnswerEvidence(answer),
        storedAttempt: attemptEvidence(namedAttempt),
        storedBasis: basisEvidence(order),
      },
    });
  if (answer.clinkSessionId !== order.clinkSessionId || answer.merchantOrderId !== order.id) {
    return review(
      'session_response_ownership_conflict',
      `session_response_conflict:${order.id}:${order.clinkSessionId}`,
    );
  }
  if (clinkOrderId === null) return draft.deferred('session_without_current_attempt');
  if (!namedAttempt) return draft.deferred('session_attempt_missing', clinkOrderId);
  if (namedAttempt.merchantOrderId !== order.id || namedAttempt.clinkSessionId !== order.clinkSessionId) {
    return review('session_order_ownership_conflict', `session_order_conflict:${order.id}:${clinkOrderId}`);
  }
  draft.patchOrder({ currentClinkOrderId: clinkOrderId, currentAttemptConfirmed: true });
  return aggregatePayment(draft, eventId)
    ? draft.done('current_attempt_confirmed_by_session', clinkOrderId)
    : draft.deferred('attempt_order_ambiguous', clinkOrderId);
}

/** Equal for equal local state and nothing else; sorting by id only makes it independent of row order. */
function fingerprint({ order, attempts }: SessionSnapshot): string {
  const { clinkSessionId, currentClinkOrderId, currentAttemptConfirmed } = order;
  const rows = attempts.map((a) =>
    [a.clinkOrderId, a.merchantOrderId, a.clinkSessionId, a.status, a.attemptCreatedAt, a.lastEventCreated].join('\n'),
  );
  return JSON.stringify([clinkSessionId, currentClinkOrderId, currentAttemptConfirmed, rows.sort()]);
}
