import type { AttemptStatus, SessionStatus } from './order.ts';

/** What Clink tells us, freed of its wire shapes. Absent, blank and `"null"` references are all null. */

export const ATTEMPT_STATUS_OF_EVENT: ReadonlyMap<string, AttemptStatus> = new Map([
  ['order.created', 'pending'],
  ['order.next_action', 'action_required'],
  ['order.succeeded', 'succeeded'],
  ['order.failed', 'failed'],
]);

export const SESSION_STATUS_OF_EVENT: ReadonlyMap<string, Exclude<SessionStatus, 'open'>> = new Map([
  ['session.complete', 'completed'],
  ['session.expired', 'expired'],
]);

export const REFUND_EVENT = 'refund.succeeded';

interface Envelope {
  readonly id: string;
  readonly type: string;
  /** When it happened at Clink, in milliseconds; null when the envelope has no usable time. */
  readonly created: number | null;
}

/** The money of an order as Clink states it: plain decimal text, or whatever text came in its place. */
export interface Payment {
  readonly amountTotal: string | null;
  readonly paymentCurrency: string | null;
}

export interface OrderEvent extends Envelope, Payment {
  readonly kind: 'order';
  readonly attemptStatus: AttemptStatus;
  readonly merchantOrderId: string | null;
  readonly clinkOrderId: string | null;
  readonly clinkSessionId: string | null;
  /** A subscription renewal; such orders are not keyed on reference and session. */
  readonly recurring: boolean;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
}

export interface SessionEvent extends Envelope {
  readonly kind: 'session';
  readonly sessionStatus: Exclude<SessionStatus, 'open'>;
  /** The status inside the body, null when missing; it must agree with the event's type. */
  readonly statedStatus: string | null;
  readonly merchantOrderId: string | null;
  readonly clinkSessionId: string | null;
  readonly clinkOrderId: string | null;
}

export interface RefundEvent extends Envelope {
  readonly kind: 'refund';
  readonly refundId: string | null;
  readonly clinkOrderId: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
}

/** A type this backend does not act on: stored, acknowledged, nothing else. */
export interface OtherEvent extends Envelope {
  readonly kind: 'other';
}

export type ClinkEvent = OrderEvent | SessionEvent | RefundEvent | OtherEvent;

/** Clink's answer to `GET /order/{id}`. */
export interface OrderAnswer extends Payment {
  readonly clinkOrderId: string | null;
  readonly clinkSessionId: string | null;
  readonly merchantOrderId: string | null;
  readonly status: string | null;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
}

/** Clink's answer to `GET /checkout/session/{id}`. */
export interface SessionAnswer {
  readonly clinkSessionId: string | null;
  readonly merchantOrderId: string | null;
  readonly status: string | null;
  /** The attempt that Clink holds to be the current one. */
  readonly clinkOrderId: string | null;
}
