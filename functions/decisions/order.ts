/** The stored state that decisions read, as the database returns it. Amounts are plain decimal text in major units. */

export type PaymentStatus =
  | 'created'
  | 'pending'
  | 'action_required'
  | 'payment_failed'
  | 'paid'
  | 'partial_refunded'
  | 'refunded';
export type FulfillmentStatus = 'none' | 'pending' | 'fulfilled' | 'failed';
export type SessionStatus = 'open' | 'completed' | 'expired';
export type AttemptStatus = 'pending' | 'action_required' | 'succeeded' | 'failed';

/** What was taken and so can be given back: the first successful attempt's amount, in the currency the shopper paid in. */
export interface RefundBasis {
  readonly clinkOrderId: string;
  readonly amount: string;
  readonly currency: string;
}

export interface MerchantOrder {
  readonly id: string;
  readonly clinkSessionId: string | null;
  readonly sessionStatus: SessionStatus;
  /** Envelope time in milliseconds of the session event that set `sessionStatus`. */
  readonly sessionEventCreated: number | null;
  readonly currentClinkOrderId: string | null;
  /** True only after Clink's session answer named the current attempt. */
  readonly currentAttemptConfirmed: boolean;
  readonly paymentStatus: PaymentStatus;
  readonly fulfillmentStatus: FulfillmentStatus;
  readonly refundBasis: RefundBasis | null;
  readonly refundedAmount: string;
}

export interface PaymentAttempt {
  readonly clinkOrderId: string;
  readonly merchantOrderId: string;
  readonly clinkSessionId: string;
  readonly status: AttemptStatus;
  /** Envelope time of `order.created` in milliseconds; null until that event has come. */
  readonly attemptCreatedAt: number | null;
  /** Envelope time of the event that set `status`, in milliseconds; comparable within this attempt only. */
  readonly lastEventCreated: number;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
}

export interface Refund {
  readonly refundId: string;
  readonly merchantOrderId: string;
  readonly clinkOrderId: string;
  readonly amount: string;
  readonly currency: string;
}

/** Payment statuses that mean money was taken; nothing leads back from them to the others. */
export function isPaid(status: PaymentStatus): boolean {
  return status === 'paid' || status === 'partial_refunded' || status === 'refunded';
}
