import type { MerchantOrder } from '../../functions/decisions/order.ts';
import type { Snapshot } from '../proof/snapshot.ts';
import type { ClinkOrder, ClinkRefund, ClinkSession, Ledger, ReceivedCall } from './ledger.ts';

/** Orders of other shops at the same Clink account begin so: they are none of ours, and their events wait for ever. */
export const STRANGER = 'stranger-';

/** One of our orders with all that either side knows of it. */
export interface Book {
  readonly order: MerchantOrder;
  /** The session that the shopper was sent to, if there is one. */
  readonly session: ClinkSession | null;
  /** Sessions that were opened for the order and got lost on the way: nobody was ever sent there. */
  readonly lostSessions: readonly ClinkSession[];
  readonly attempts: readonly ClinkOrder[];
  readonly paid: readonly ClinkOrder[];
  /** Of all its attempts. */
  readonly refunds: readonly ClinkRefund[];
  readonly calls: readonly ReceivedCall[];
}

const PAID = ['success', 'partial_refunded', 'refunded'];

export function booksOf({ orders }: Snapshot, ledger: Ledger): Book[] {
  const sessions = Map.groupBy(ledger.sessions, ({ merchantOrderId }) => merchantOrderId);
  const attempts = Map.groupBy(ledger.orders, ({ clinkSessionId }) => clinkSessionId);
  const refunds = Map.groupBy(ledger.refunds, ({ clinkOrderId }) => clinkOrderId);
  const calls = Map.groupBy(ledger.calls, ({ merchantOrderId }) => merchantOrderId);
  return orders.map((order) => {
    const own = sessions.get(order.id) ?? [];
    const session = own.find(({ clinkSessionId }) => clinkSessionId === order.clinkSessionId) ?? null;
    const made = session ? (attempts.get(session.clinkSessionId) ?? []) : [];
    return {
      order,
      session,
      lostSessions: own.filter((other) => other !== session),
      attempts: made,
      paid: made.filter(({ status }) => PAID.includes(status)),
      refunds: made.flatMap(({ clinkOrderId }) => refunds.get(clinkOrderId) ?? []),
      calls: calls.get(order.id) ?? [],
    };
  });
}
