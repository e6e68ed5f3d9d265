import type { Decision, Evidence, ReviewReason } from './decision.ts';
import { Draft, decisionWithoutOrder } from './draft.ts';
import type { RefundEvent } from './event.ts';
import { basisEvidence, refundEvidence, shown } from './evidence.ts';
import { Money, parseCurrency, parsePositiveAmount, sumOf } from './money.ts';
import type { MerchantOrder, PaymentAttempt, Refund } from './order.ts';

export interface RefundEventFacts {
  /** The order that owns the attempt, or else the stored refund; locked. */
  readonly order: MerchantOrder | null;
  readonly attempt: PaymentAttempt | null;
  /** The refund already stored under the event's refund id, whoever owns it. */
  readonly storedRefund: Refund | null;
  /** All stored refunds of `order`. */
  readonly refunds: readonly Refund[];
}

/**
 * What `refund.succeeded` means. A refund names only its attempt, so the attempt must be known and its payment booked
 * first. Amounts are added up here because Clink keeps no running total; a refund that would pass the basis is not
 * stored but reviewed, so that the total is always the sum of the rows and never more than was paid.
 */
export function decideRefundEvent(event: RefundEvent, facts: RefundEventFacts): Decision {
  const { order, attempt, storedRefund } = facts;
  if (!order) return decisionWithoutOrder('deferred', 'attempt_missing', event.clinkOrderId);
  const draft = new Draft(order, []);
  if (!attempt) return refundReview(draft, event, 'refund_id_reused_with_missing_attempt', seen(event, storedRefund));

  const refund = readRefund(event, attempt);
  if (!refund) return refundReview(draft, event, 'invalid_refund_record', seen(event, storedRefund));
  if (storedRefund && !isSameRefund(storedRefund, refund)) {
    return refundReview(draft, event, 'refund_id_immutable_fields_conflict', seen(event, storedRefund));
  }
  const basis = order.refundBasis;
  if (!basis) return draft.deferred('refund_basis_missing', attempt.clinkOrderId);
  if (basis.clinkOrderId !== refund.clinkOrderId || basis.currency !== refund.currency) {
    const evidence = { storedBasis: basisEvidence(order), ...seen(event, storedRefund) };
    return refundReview(draft, event, 'refund_order_or_currency_conflict', evidence);
  }
  return bookRefund(draft, event, refund, facts);
}

function bookRefund(draft: Draft, event: RefundEvent, refund: Refund, facts: RefundEventFacts): Decision {
  const { refundBasis, refundedAmount } = draft.order;
  const odd = facts.refunds.find(
    (r) => r.clinkOrderId !== refundBasis?.clinkOrderId || r.currency !== refundBasis?.currency,
  );
  if (odd) {
    const evidence = { storedBasis: basisEvidence(draft.order), conflictingRefund: refundEvidence(odd) };
    return refundReview(draft, event, 'stored_successful_refund_conflict', evidence);
  }
  const amounts = facts.refunds.map((r) => r.amount);
  const total = sumOf(facts.storedRefund ? amounts : [...amounts, refund.amount]);
  if (total.greaterThan(refundBasis?.amount ?? 0)) {
    const evidence = {
      storedBasis: basisEvidence(draft.order),
      refundedAmount,
      wouldBe: total.toFixed(),
      refundIds: facts.refunds.map((r) => r.refundId),
      ...seen(event, facts.storedRefund),
    };
    return refundReview(draft, event, 'refund_total_exceeds_payment_basis', evidence);
  }
  if (!facts.storedRefund) draft.insertRefund(refund);
  if (!total.equals(refundedAmount)) draft.patchOrder({ refundedAmount: total.toFixed() });
  // Clink moves the order's own status some time after this event: a task asks for it, this decision does not guess it.
  draft.queue('refund_reconcile', `refund_reconcile:${refund.refundId}`, refund.clinkOrderId, {
    refundId: refund.refundId,
  });
  return draft.done(facts.storedRefund ? 'refund_repeated' : 'refund_booked', refund.clinkOrderId);
}

function readRefund(event: RefundEvent, attempt: PaymentAttempt): Refund | null {
  const currency = parseCurrency(event.currency);
  const amount = currency && parsePositiveAmount(event.amount, currency);
  if (event.refundId === null || !currency || !amount) return null;
  const { merchantOrderId, clinkOrderId } = attempt;
  return { refundId: event.refundId, merchantOrderId, clinkOrderId, amount: amount.toFixed(), currency };
}

function isSameRefund(a: Refund, b: Refund): boolean {
  return (
    a.merchantOrderId === b.merchantOrderId &&
    a.clinkOrderId === b.clinkOrderId &&
    a.currency === b.currency &&
    new Money(a.amount).equals(b.amount)
  );
}

function seen(event: RefundEvent, storedRefund: Refund | null): Evidence {
  const { refundId, clinkOrderId } = event;
  return {
    storedRefund: refundEvidence(storedRefund),
    incomingRefund: { refundId, clinkOrderId, amount: shown(event.amount), currency: shown(event.currency) },
  };
}

function refundReview(draft: Draft, event: RefundEvent, reason: ReviewReason, evidence: Evidence): Decision {
  return draft.review({
    dedupeKey: `refund_conflict:${event.refundId ?? `event:${event.id}`}`,
    reason,
    clinkOrderId: event.clinkOrderId,
    refundId: event.refundId,
    evidence: { eventId: event.id, ...evidence },
  });
}
