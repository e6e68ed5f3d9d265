import type { ClinkEvent, OrderAnswer } from '../../functions/decisions/event.ts';
import type { MerchantOrder } from '../../functions/decisions/order.ts';
import { merchantOrder, ORDER_ID, SESSION_ID } from '../support/clink-events.ts';
import type { ClinkTruth } from '../support/memory-store.ts';

/** Some checkouts, everything that happened to them at Clink, and what Clink would say of it afterwards. */
export interface World {
  readonly orders: readonly MerchantOrder[];
  readonly events: readonly ClinkEvent[];
  readonly truth: ClinkTruth;
}

/** A history: a world that has a name, with every end that it may come to. */
export interface History extends World {
  readonly name: string;
  readonly ends: readonly string[];
}

export interface AttemptTruth {
  readonly status: string;
  readonly amount?: string;
  readonly merchantOrderId?: string;
  readonly clinkSessionId?: string;
}

/** Clink's answers: the status of each attempt, and the attempt that each session names as its current one. */
export function truthOf(
  attempts: Readonly<Record<string, AttemptTruth>>,
  current: Readonly<Record<string, string | null>>,
  sessionOwner: Readonly<Record<string, string>> = { [SESSION_ID]: ORDER_ID },
): ClinkTruth {
  return {
    order(clinkOrderId): OrderAnswer {
      const known = attempts[clinkOrderId];
      const status = known?.status ?? null;
      return {
        clinkOrderId,
        clinkSessionId: known?.clinkSessionId ?? SESSION_ID,
        merchantOrderId: known?.merchantOrderId ?? ORDER_ID,
        status,
        amountTotal: known?.amount ?? '19.99',
        paymentCurrency: 'USD',
        failureCode: status === 'failed' ? 'card_declined' : null,
        failureMessage: status === 'failed' ? 'declined' : null,
      };
    },
    session: (clinkSessionId) => ({
      clinkSessionId,
      merchantOrderId: sessionOwner[clinkSessionId] ?? null,
      status: 'open',
      clinkOrderId: current[clinkSessionId] ?? null,
    }),
  };
}

/** The one order of most histories, as its checkout leaves it. */
export const ONE_ORDER = [merchantOrder()] as const;
export const OTHER_ORDER_ID = 'mo_2';
export const OTHER_SESSION_ID = 'sess_2';
export const TWO_ORDERS = [
  merchantOrder(),
  merchantOrder({ id: OTHER_ORDER_ID, clinkSessionId: OTHER_SESSION_ID }),
] as const;
