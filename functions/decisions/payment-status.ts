import type { Draft } from './draft.ts';
import { type AttemptStatus, isPaid, type MerchantOrder, type PaymentAttempt, type PaymentStatus } from './order.ts';

const ORDER_STATUS_OF_ATTEMPT: Readonly<Record<AttemptStatus, PaymentStatus>> = {
  pending: 'pending',
  action_required: 'action_required',
  failed: 'payment_failed',
  succeeded: 'paid',
};

/**
 * Derives the order's payment status from all of its attempts and queues what follows. Returns false when only Clink can
 * say which attempt is the current one; then `reconcile_session` is queued under the event that raised the question, unless
 * that event must stay open for another answer (null).
 */
export function aggregatePayment(draft: Draft, eventId: string | null): boolean {
  const status = paymentStatusOf(draft.order, draft.attempts);
  const next = status ?? 'pending';
  if (!isPaid(draft.order.paymentStatus) && draft.order.paymentStatus !== next)
    draft.patchOrder({ paymentStatus: next });

  if (draft.order.paymentStatus === 'paid') queueFulfillment(draft);
  if (status === null && eventId !== null) {
    draft.queue('reconcile_session', `reconcile_session:${draft.order.id}:${eventId}`);
  }
  return status !== null;
}

/**
 * The status that the attempts add up to, or null when their order in time cannot be told from creation times alone.
 * Arrival order, row ids and the spelling of ids never decide.
 */
export function paymentStatusOf(order: MerchantOrder, attempts: readonly PaymentAttempt[]): PaymentStatus | null {
  if (order.refundBasis) return 'paid';
  // Clink took money in an amount that we could not book; a person has the case, and the shopper must not pay again.
  if (attempts.some((a) => a.status === 'succeeded')) return 'pending';
  const current = order.currentAttemptConfirmed
    ? attempts.find((a) => a.clinkOrderId === order.currentClinkOrderId)
    : latestByCreation(attempts);
  return current ? ORDER_STATUS_OF_ATTEMPT[current.status] : attempts.length === 0 ? 'pending' : null;
}

/** The one attempt created last, or undefined when a creation time is missing or the latest is shared. */
function latestByCreation(attempts: readonly PaymentAttempt[]): PaymentAttempt | undefined {
  if (attempts.some((a) => a.attemptCreatedAt === null)) return undefined;
  const latest = Math.max(...attempts.map((a) => a.attemptCreatedAt ?? 0));
  const candidates = attempts.filter((a) => a.attemptCreatedAt === latest);
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** Queued once for each order and marked on it, so that an order which was paid but never delivered can be found. */
function queueFulfillment(draft: Draft): void {
  const { id, fulfillmentStatus, refundBasis } = draft.order;
  if (fulfillmentStatus !== 'none' || !refundBasis) return;
  draft.patchOrder({ fulfillmentStatus: 'pending' });
  draft.queue('fulfill', `fulfill:${id}`, refundBasis.clinkOrderId);
}
