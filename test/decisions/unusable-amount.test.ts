import { describe, expect, it } from 'vitest';
import { merchantOrder, ORDER_ID, orderEvent, T } from '../support/clink-events.ts';
import { MemoryStore } from '../support/memory-store.ts';

const DECLINED = [
  orderEvent('order.created', { clinkOrderId: 'order_A', created: T }),
  orderEvent('order.failed', { clinkOrderId: 'order_A', created: T + 1 }),
];
const TAKEN = orderEvent('order.succeeded', { clinkOrderId: 'order_B', created: T + 3, amountTotal: '0x10' });
const BEGUN = orderEvent('order.created', { clinkOrderId: 'order_B', created: T + 2 });

describe('money that was taken in an amount that cannot be booked', () => {
  it.each([
    ['after its creation', [...DECLINED, BEGUN, TAKEN]],
    ['before its creation', [...DECLINED, TAKEN, BEGUN]],
    ['before everything else', [TAKEN, BEGUN, ...DECLINED]],
  ])('leaves the order pending with one case, arriving %s', (_when, events) => {
    const store = new MemoryStore([merchantOrder()]);
    for (const event of events) store.deliver(event);
    expect(store.orders.get(ORDER_ID)).toMatchObject({
      paymentStatus: 'pending',
      fulfillmentStatus: 'none',
      refundBasis: null,
    });
    expect([...store.cases.values()]).toHaveLength(1);
  });
});
