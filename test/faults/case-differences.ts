import type { Refund } from '../../functions/decisions/order.ts';
import type { Snapshot } from '../proof/snapshot.ts';
import type { Book } from './books.ts';
import type { ClinkNews, Ledger } from './ledger.ts';

/** Every conflict that both ledgers show has one case, no case is without a conflict, and the merchant got each once. */
export function* caseDifferences(
  { events, orders, calls }: Ledger,
  stored: Snapshot,
  books: readonly Book[],
  refunds: ReadonlyMap<string, Refund>,
): Iterable<string> {
  const news = Map.groupBy(events, ({ clinkSessionId }) => clinkSessionId);
  const attempts = Map.groupBy(orders, ({ clinkSessionId }) => clinkSessionId);
  const required = new Set<string>();
  const possible = new Set<string>();
  for (const book of books) {
    for (const key of requiredCases(book, refunds)) required.add(key);
    for (const { clinkSessionId } of book.lostSessions) {
      for (const { clinkOrderId } of attempts.get(clinkSessionId) ?? [])
        required.add(`order_ownership_conflict:${book.order.id}:${clinkOrderId}`);
      for (const { type } of news.get(clinkSessionId) ?? [])
        required.add(`session_review:${book.order.id}:session_event_ownership_conflict:${type}:${clinkSessionId}`);
    }
    const ofSession = news.get(book.order.clinkSessionId) ?? [];
    for (const key of tieCases(book, ofSession)) possible.add(key);
    possible.add(`refunded_before_fulfillment:${book.order.id}`);
  }
  const found = stored.cases.map(({ dedupeKey }) => dedupeKey);
  const told = new Set(
    calls.filter(({ task, accepted }) => accepted && task === 'manual_reconciliation').map((c) => c.idempotencyKey),
  );
  for (const key of required) if (!found.includes(key)) yield `the conflict ${key} has no case`;
  for (const key of found) {
    if (!required.has(key) && !possible.has(key)) yield `the case ${key} has no conflict`;
    if (!told.has(key)) yield `the merchant never got the case ${key}`;
  }
  for (const key of told) if (!found.includes(key)) yield `the merchant got the case ${key}, which is not stored`;
  if (new Set(found).size !== found.length) yield 'a conflict has two cases';
}

/** Money that came a second time, and refunds that are not booked. */
function* requiredCases({ order, paid, refunds }: Book, stored: ReadonlyMap<string, Refund>): Iterable<string> {
  for (const { clinkOrderId } of paid) {
    if (clinkOrderId !== order.refundBasis?.clinkOrderId) yield `refund_basis_conflict:${order.id}:${clinkOrderId}`;
  }
  for (const { refundId } of refunds) if (!stored.has(refundId)) yield `refund_conflict:${refundId}`;
}

/** Two ends of one session at one time: a case unless a later end was known before. */
function* tieCases({ order, session }: Book, news: readonly ClinkNews[]): Iterable<string> {
  for (const { type, created } of news) {
    const isTie = news.some((other) => other.created === created && other.type !== type);
    if (isTie)
      yield `session_review:${order.id}:session_terminal_same_version_conflict:${type}:${session?.clinkSessionId}`;
  }
}
