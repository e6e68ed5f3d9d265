import type { Evidence } from './decision.ts';
import type { OrderAnswer, Payment, SessionAnswer } from './event.ts';
import type { MerchantOrder, PaymentAttempt, Refund } from './order.ts';

/**
 * What a case may show. Each function names its fields one by one, so that an email address, metadata or payment details
 * cannot slip into a case by being added to an object upstream.
 */

export function attemptEvidence(attempt: PaymentAttempt | null | undefined): Evidence | null {
  if (!attempt) return null;
  const { clinkOrderId, merchantOrderId, clinkSessionId, status, attemptCreatedAt, lastEventCreated } = attempt;
  return { clinkOrderId, merchantOrderId, clinkSessionId, status, attemptCreatedAt, lastEventCreated };
}

export function orderEvidence(order: MerchantOrder): Evidence {
  return {
    merchantOrderId: order.id,
    clinkSessionId: order.clinkSessionId,
    clinkSessionStatus: order.sessionStatus,
    clinkSessionLastEventCreated: order.sessionEventCreated,
    currentClinkOrderId: order.currentClinkOrderId,
    paymentStatus: order.paymentStatus,
  };
}

export function basisEvidence(order: MerchantOrder): Evidence | null {
  if (!order.refundBasis) return null;
  const { clinkOrderId, amount, currency } = order.refundBasis;
  return { clinkOrderId, amount, currency };
}

export function paymentEvidence(clinkOrderId: string, payment: Payment): Evidence {
  return { clinkOrderId, amount: shown(payment.amountTotal), currency: shown(payment.paymentCurrency) };
}

export function refundEvidence(refund: Refund | null): Evidence | null {
  if (!refund) return null;
  const { refundId, merchantOrderId, clinkOrderId, amount, currency } = refund;
  return { refundId, merchantOrderId, clinkOrderId, amount, currency };
}

export function orderAnswerEvidence(answer: OrderAnswer): Evidence {
  return {
    clinkOrderId: answer.clinkOrderId,
    clinkSessionId: answer.clinkSessionId,
    merchantOrderId: answer.merchantOrderId,
    status: shown(answer.status),
    amountTotal: shown(answer.amountTotal),
    paymentCurrency: shown(answer.paymentCurrency),
    failureCode: shown(answer.failureCode),
  };
}

export function sessionAnswerEvidence(answer: SessionAnswer): Evidence {
  return {
    clinkSessionId: answer.clinkSessionId,
    clinkOrderId: answer.clinkOrderId,
    merchantOrderId: answer.merchantOrderId,
    status: shown(answer.status),
  };
}

/** Free text from outside, bounded: a case is read by people, and a field that should hold an amount may hold anything. */
export function shown(text: string | null): string | null {
  // A cut through a surrogate pair leaves a half that JSONB refuses.
  return text === null ? null : text.slice(0, 64).toWellFormed();
}
