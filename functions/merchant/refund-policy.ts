import type { CallOptions, SignedCall } from './signed-call.ts';

/** How much of an order has been given back so far, in major units of the currency it was paid in. */
export interface RefundState {
  readonly merchantOrderId: string;
  /** The refund that brought the order here. */
  readonly refundId: string;
  readonly orderStatus: 'partial_refunded' | 'refunded';
  /** Cumulative over all refunds of the order, as plain decimal text. */
  readonly refundedAmount: string;
  readonly paymentCurrency: string;
}

export interface RefundPolicy {
  /** Takes back what the refund pays for, if the merchant does that. Its idempotency key is the refund's id. */
  apply(state: RefundState, options: CallOptions): Promise<void>;
}

/** The policy of the merchant's own endpoint, `POST /refund-policy`. */
export function refundPolicyByCall(call: SignedCall): RefundPolicy {
  return { apply: (state, options) => call('/refund-policy', 'refund_policy.requested', state, options) };
}
