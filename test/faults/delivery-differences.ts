import { Money } from '../../functions/decisions/money.ts';
import type { Book } from './books.ts';

/**
 * One delivery for each paid order and none for any other, told by distinct idempotency keys: the merchant's endpoint does
 * the work of a key once. An order that was given back before its delivery succeeded here is not delivered any more, also
 * when an earlier try had arrived and its answer had not.
 */
export function* deliveryDifferences({ order, session, paid, refunds, calls }: Book): Iterable<string> {
  const { id, fulfillmentStatus } = order;
  const asked = calls.filter(({ task }) => task === 'fulfill');
  const delivered = new Set(asked.filter(({ accepted }) => accepted).map(({ idempotencyKey }) => idempotencyKey));
  if (paid.length === 0 && asked.length > 0) yield `${id} is not paid, and its delivery was asked for`;
  if (delivered.size > 1) yield `${id} was delivered under ${[...delivered].join(' and ')}`;

  const isWithheld = refunds.length > 0 && fulfillmentStatus === 'none';
  if (paid.length > 0 && delivered.size === 0 && !isWithheld) yield `${id} is paid and was not delivered`;
  if (delivered.size > 0 && fulfillmentStatus !== 'fulfilled' && !isWithheld)
    yield `${id} was delivered, and its delivery is ${fulfillmentStatus}`;
  for (const { amount, currency } of asked) {
    if (!new Money(session?.price ?? 0).equals(amount ?? 0))
      yield `${id} was delivered for ${amount} ${currency}, its price is ${session?.price}`;
  }
}
