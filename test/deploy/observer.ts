import { expect, vi } from 'vitest';
import type { OrderView } from '../../functions/flows/order-view.ts';
import { openBooks } from './books.ts';
import type { Shop } from './shop.ts';
import type { World } from './world.ts';

/** Longer than anything here takes, and shorter than a step may take. */
const PATIENCE = { timeout: 150_000, interval: 250 };

/** Resolves once the check holds; throws what is wrong with it when that takes too long. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, PATIENCE);

/** Whoever waits for what is expected to come: at the shop, at the merchant's endpoint and in the books. */
export function openObserver({ sql, merchant }: Pick<World, 'sql' | 'merchant'>, shop: Shop, customerId: string) {
  const books = openBooks(sql);
  const callsAbout = (merchantOrderId: string, path: string) =>
    merchant.calls.filter((call) => call.path === path && call.data.merchantOrderId === merchantOrderId);

  return {
    books,
    callsAbout,
    shows: (merchantOrderId: string, expected: Partial<OrderView>) =>
      eventually(async () => expect((await shop.look(merchantOrderId, customerId)).order).toMatchObject(expected)),
    /** The merchant has been told of these refunds, in this order and of no others. */
    told: (merchantOrderId: string, refunds: readonly object[]) =>
      eventually(() => {
        expect(callsAbout(merchantOrderId, '/refund-policy').map(({ data }) => data)).toMatchObject(refunds);
      }),
    delivered: (merchantOrderId: string) =>
      eventually(async () => {
        expect(await books.order(merchantOrderId)).toEqual({ paymentStatus: 'paid', fulfillmentStatus: 'fulfilled' });
        expect(callsAbout(merchantOrderId, '/fulfillment').length).toBeGreaterThan(0);
      }),
    nothingLeftToDo: () => eventually(async () => expect(await books.unfinishedTasks()).toEqual([])),
  };
}

export type Observer = ReturnType<typeof openObserver>;
