import type { Snapshot } from '../proof/snapshot.ts';
import { type Book, booksOf, STRANGER } from './books.ts';
import { caseDifferences } from './case-differences.ts';
import { deliveryDifferences } from './delivery-differences.ts';
import type { Ledger } from './ledger.ts';
import { paymentDifferences } from './payment-differences.ts';
import { refundDifferences } from './refund-differences.ts';

/** Where a backend that has come to rest differs from what Clink and the merchant have written down; each in words. */
export function differences(ledger: Ledger, stored: Snapshot): string[] {
  const books = booksOf(stored, ledger);
  const refunds = new Map(stored.refunds.map((refund) => [refund.refundId, refund]));
  return [
    ...strangeOrders(ledger, stored),
    ...eventDifferences(ledger, stored),
    ...books.flatMap((book: Book) => [
      ...paymentDifferences(book),
      ...deliveryDifferences(book),
      ...refundDifferences(book, refunds),
    ]),
    ...caseDifferences(ledger, stored, books, refunds),
  ];
}

function* strangeOrders({ sessions, calls }: Ledger, { orders }: Snapshot): Iterable<string> {
  const known = new Set(orders.map(({ id }) => id));
  for (const { merchantOrderId, clinkSessionId } of sessions) {
    if (!merchantOrderId.startsWith(STRANGER) && !known.has(merchantOrderId))
      yield `Clink has ${clinkSessionId} for the order ${merchantOrderId}, which is not stored`;
  }
  for (const { merchantOrderId, task } of calls) {
    if (merchantOrderId !== null && !known.has(merchantOrderId))
      yield `the merchant got ${task} for ${merchantOrderId}, which is not stored`;
  }
}

function* eventDifferences({ events, sessions, orders }: Ledger, stored: Snapshot): Iterable<string> {
  const strangeSessions = new Set(
    sessions.filter((s) => s.merchantOrderId.startsWith(STRANGER)).map((s) => s.clinkSessionId),
  );
  const strangeOrders = new Set(orders.filter((o) => strangeSessions.has(o.clinkSessionId)).map((o) => o.clinkOrderId));
  const sent = new Set(events.map(({ id }) => id));
  const kept = new Map(stored.events.map(({ event, status }) => [event.id, { event, status }]));
  for (const id of sent) if (!kept.has(id)) yield `the event ${id} is not stored`;
  for (const [id, { event, status }] of kept) {
    if (!sent.has(id)) yield `the event ${id} is stored and was never sent`;
    const ofStranger =
      ('clinkSessionId' in event && strangeSessions.has(String(event.clinkSessionId))) ||
      ('clinkOrderId' in event && strangeOrders.has(String(event.clinkOrderId)));
    if (status !== (ofStranger ? 'pending' : 'processed')) yield `the event ${id} is ${status}`;
  }
}
