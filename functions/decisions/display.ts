import type { PaymentAttempt, PaymentStatus, SessionStatus } from './order.ts';

/** What the return page may say. It never claims more than is known: silence from Clink is `confirming`, not a failure. */
export type Display =
  | 'confirming'
  | 'action_required'
  | 'failed_try_again'
  | 'paid'
  | 'expired'
  | 'refunded'
  | 'partially_refunded';

/**
 * The shopper's view of an order. An expired session is only the end while no attempt can still bring money: slow payment
 * methods may succeed after their session has ended.
 */
export function displayOf(
  paymentStatus: PaymentStatus,
  sessionStatus: SessionStatus,
  attempts: readonly Pick<PaymentAttempt, 'status'>[],
): Display {
  if (paymentStatus === 'paid' || paymentStatus === 'refunded') return paymentStatus;
  if (paymentStatus === 'partial_refunded') return 'partially_refunded';
  if (attempts.some((a) => a.status !== 'failed')) {
    return paymentStatus === 'action_required' ? 'action_required' : 'confirming';
  }
  if (sessionStatus === 'expired') return 'expired';
  return paymentStatus === 'payment_failed' && sessionStatus === 'open' ? 'failed_try_again' : 'confirming';
}
