import { Money } from '../../functions/decisions/money.ts';
import { isPaid, type PaymentStatus } from '../../functions/decisions/order.ts';
import type { Book } from './books.ts';

/** What an unpaid order is, by what Clink says of its latest attempt. */
const UNPAID: ReadonlyMap<string, PaymentStatus> = new Map([
  ['failed', 'payment_failed'],
  ['requires_action', 'action_required'],
]);

/** Paid here exactly when paid at Clink, by one of the attempts that Clink took money for, amount and currency included. */
export function* paymentDifferences({ order, session, attempts, paid }: Book): Iterable<string> {
  const { id, paymentStatus, refundBasis, clinkSessionId } = order;
  if (clinkSessionId !== null && session === null)
    yield `${id} has the session ${clinkSessionId}, which Clink did not open for it`;
  if (isPaid(paymentStatus) !== paid.length > 0) {
    yield `${id} is ${paymentStatus}, and Clink took ${paid.length} payments for it`;
    return;
  }
  if (refundBasis) {
    const { clinkOrderId, amount, currency } = refundBasis;
    const taken = paid.find((attempt) => attempt.clinkOrderId === clinkOrderId);
    const isSame = taken?.currency === currency && new Money(taken.amount).equals(amount);
    if (!isSame) yield `${id} was paid ${amount} ${currency} by ${clinkOrderId}, not so at Clink`;
    return;
  }
  const latest = attempts.find(({ clinkOrderId }) => clinkOrderId === session?.clinkOrderId);
  const expected = latest ? UNPAID.get(latest.status) : session ? 'pending' : 'created';
  if (paymentStatus !== expected) yield `${id} is ${paymentStatus}, and its latest attempt makes it ${expected}`;
}
