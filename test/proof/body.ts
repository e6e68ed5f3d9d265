import { createHash } from 'node:crypto';
import type { ClinkEvent } from '../../functions/decisions/event.ts';
import type { SignedBody } from '../../functions/flows/receive-event.ts';

/** The webhook body that reads as this event: what the real backend keeps and decides from again. */
export function bodyOf(event: ClinkEvent): SignedBody {
  const { id, type, created } = event;
  const text = JSON.stringify({ id, object: 'event', type, created, data: { object: fieldsOf(event) } });
  return { text, hash: createHash('sha256').update(text).digest('hex') };
}

function fieldsOf(event: ClinkEvent): object {
  switch (event.kind) {
    case 'order': {
      const { clinkOrderId, merchantOrderId, clinkSessionId, recurring, ...rest } = event;
      const { amountTotal, paymentCurrency, failureCode, failureMessage } = rest;
      return {
        orderId: clinkOrderId,
        merchantReferenceId: merchantOrderId,
        sessionId: clinkSessionId,
        ...(recurring && { type: 'recurring' }),
        amountTotal,
        paymentCurrency,
        failureCode,
        failureMessage,
      };
    }
    case 'session':
      return {
        sessionId: event.clinkSessionId,
        merchantReferenceId: event.merchantOrderId,
        orderId: event.clinkOrderId,
        status: event.statedStatus,
      };
    case 'refund':
      return {
        refundId: event.refundId,
        orderId: event.clinkOrderId,
        refundAmount: event.amount,
        refundCurrency: event.currency,
      };
    case 'other':
      return {};
  }
}
