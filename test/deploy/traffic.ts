import { expect } from 'vitest';
import type { Clink } from './clink.ts';
import { eventually } from './observer.ts';
import type { Shop } from './shop.ts';

/** Customers who buy, pay and come back to see that it was taken, again and again, so that webhooks keep coming. */
export interface Traffic {
  /** Ids of the orders that were paid so far. */
  readonly paid: readonly string[];
  /** Resolves when this many more orders have been paid. */
  more(count: number): Promise<void>;
  /** No new customers; resolves with all that were paid. */
  stop(): Promise<readonly string[]>;
}

const AT_ONCE = 2;

export function startTraffic(shop: Shop, clink: Clink): Traffic {
  const paid: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let isOpen = true;

  async function customer(customerId: string): Promise<void> {
    while (isOpen) {
      const { merchantOrderId, checkoutUrl } = await shop.buy(customerId);
      await clink.pay(checkoutUrl);
      await eventually(async () => expect((await shop.look(merchantOrderId, customerId)).order.display).toBe('paid'));
      paid.push(merchantOrderId);
      for (const each of waiting) if (paid.length >= each.count) each.resolve();
    }
  }

  const customers = Promise.all(Array.from({ length: AT_ONCE }, (_, index) => customer(`passer-by-${index}`)));
  // Reported by whoever waits for more or stops.
  customers.catch(() => undefined);
  return {
    paid,
    async more(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count: paid.length + count, resolve });
      await Promise.race([promise, customers]);
    },
    async stop() {
      isOpen = false;
      await customers;
      return paid;
    },
  };
}
