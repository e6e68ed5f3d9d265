import { Money, sumOf } from '../../functions/decisions/money.ts';
import type { Refund } from '../../functions/decisions/order.ts';
import type { Book } from './books.ts';
import type { ClinkRefund } from './ledger.ts';

/** What was given back here is what Clink gave back, and what the merchant was told in the end, never less than before. */
export function* refundDifferences(book: Book, stored: ReadonlyMap<string, Refund>): Iterable<string> {
  const { order, refunds } = book;
  const booked = refunds.filter(({ refundId }) => stored.has(refundId));
  for (const refund of booked) {
    if (!isSame(refund, stored.get(refund.refundId))) yield `${refund.refundId} is stored otherwise than Clink made it`;
  }
  const total = sumOf(booked.map(({ amount }) => amount));
  if (!total.equals(order.refundedAmount))
    yield `${order.id} gave back ${order.refundedAmount}, at Clink ${total.toFixed()}`;
  for (const refund of refunds) {
    const fits =
      canBeBooked(book, refund) && total.plus(refund.amount).lessThanOrEqualTo(order.refundBasis?.amount ?? 0);
    if (!stored.has(refund.refundId) && fits) yield `${refund.refundId} is not stored, and would fit ${order.id}`;
  }
  yield* statusDifferences(book, booked.length === refunds.length);
  yield* toldDifferences(book, total.toFixed());
}

/** Of the attempt that paid the order, in the currency that it was paid in. */
export function canBeBooked({ order: { refundBasis } }: Book, { clinkOrderId, currency }: ClinkRefund): boolean {
  return refundBasis?.clinkOrderId === clinkOrderId && refundBasis.currency === currency;
}

function isSame({ clinkOrderId, amount, currency }: ClinkRefund, stored: Refund | undefined): boolean {
  return (
    stored?.clinkOrderId === clinkOrderId && stored.currency === currency && new Money(stored.amount).equals(amount)
  );
}

/** Clink may show a refund that could not be booked here after it was asked for the last time. */
function* statusDifferences({ order, paid }: Book, isAllBooked: boolean): Iterable<string> {
  const { refundBasis, refundedAmount, paymentStatus } = order;
  const payment = paid.find(({ clinkOrderId }) => clinkOrderId === refundBasis?.clinkOrderId);
  if (!refundBasis || !payment) return;
  const atClink = payment.status === 'success' ? 'paid' : payment.status;
  const refunded = new Money(refundedAmount).equals(refundBasis.amount) ? 'refunded' : 'partial_refunded';
  const byBooked = new Money(refundedAmount).isZero() ? 'paid' : refunded;
  const isRight = paymentStatus === atClink || (!isAllBooked && paymentStatus === byBooked);
  if (!isRight) yield `${order.id} is ${paymentStatus}, at Clink ${atClink}`;
}

function* toldDifferences({ order, calls }: Book, total: string): Iterable<string> {
  const told = calls.filter(({ task }) => task === 'apply_refund_policy');
  let most = new Money(0);
  for (const { amount, currency } of told) {
    if (most.greaterThan(amount ?? 0)) yield `the merchant was told ${amount} of ${order.id} after ${most.toFixed()}`;
    if (currency !== order.refundBasis?.currency) yield `the merchant was told ${currency} of ${order.id}`;
    most = Money.max(most, amount ?? 0);
  }
  const last = told.findLast(({ accepted }) => accepted)?.amount ?? '0';
  if (!new Money(last).equals(total)) yield `the merchant knows that ${order.id} gave back ${last}, not ${total}`;
}
