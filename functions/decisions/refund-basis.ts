import type { Draft, ReviewFacts } from './draft.ts';
import type { Payment } from './event.ts';
import { attemptEvidence, basisEvidence, paymentEvidence } from './evidence.ts';
import { Money, parseAmount, parseCurrency } from './money.ts';

/**
 * Records what a successful attempt took as the order's refund basis. The first success sets it and nothing overwrites
 * it: another attempt, amount or currency is a second payment or a data conflict, and is returned as a review. A total of
 * zero (a promotion that covers the whole price) is a valid basis. Returns null when the basis stands.
 */
export function bookRefundBasis(
  draft: Draft,
  clinkOrderId: string,
  payment: Payment,
  dedupeKey = `refund_basis_conflict:${draft.order.id}:${clinkOrderId}`,
): ReviewFacts | null {
  const stored = draft.order.refundBasis;
  const currency = parseCurrency(payment.paymentCurrency);
  const amount = currency && parseAmount(payment.amountTotal, currency);
  const evidence = {
    storedBasis: basisEvidence(draft.order),
    incomingPayment: paymentEvidence(clinkOrderId, payment),
    storedAttempt: attemptEvidence(draft.attempt(clinkOrderId)),
  };
  if (!currency || !amount) return { dedupeKey, reason: 'invalid_refund_payment_basis', clinkOrderId, evidence };

  if (!stored) {
    draft.patchOrder({ refundBasis: { clinkOrderId, amount: amount.toFixed(), currency } });
    return null;
  }
  const isSame =
    stored.clinkOrderId === clinkOrderId && stored.currency === currency && new Money(stored.amount).equals(amount);
  return isSame ? null : { dedupeKey, reason: 'refund_payment_basis_conflict', clinkOrderId, evidence };
}
