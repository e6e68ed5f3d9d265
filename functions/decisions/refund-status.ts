import type { Draft } from './draft.ts';
import type { PaymentStatus } from './order.ts';

export type RefundStatus = Extract<PaymentStatus, 'partial_refunded' | 'refunded'>;

const RANK: Readonly<Record<RefundStatus, number>> = { partial_refunded: 1, refunded: 2 };

/** The refund status that Clink's order status states, or null when it states none. */
export function refundStatusOf(status: string | null): RefundStatus | null {
  return status === 'partial_refunded' || status === 'refunded' ? status : null;
}

export function isBehind(status: RefundStatus, expected: RefundStatus): boolean {
  return RANK[status] < RANK[expected];
}

/** Moves the order to `status` unless it is there or further: a full refund never becomes a partial one again. */
export function advanceRefundStatus(draft: Draft, status: RefundStatus): void {
  const current = refundStatusOf(draft.order.paymentStatus);
  if (current === null || isBehind(current, status)) draft.patchOrder({ paymentStatus: status });
}
