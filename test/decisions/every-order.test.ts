import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClinkEvent, OrderAnswer } from '../../functions/decisions/event.ts';
import { sumOf } from '../../functions/decisions/money.ts';
import {
  merchantOrder,
  ORDER_ID,
  orderEvent,
  refundEvent,
  SESSION_ID,
  sessionEvent,
  T,
} from '../support/clink-events.ts';
import { type ClinkTruth, MemoryStore } from '../support/memory-store.ts';

/** A history: everything that happened at Clink, and what Clink would say of it afterwards. */
interface History {
  readonly name: string;
  readonly events: readonly ClinkEvent[];
  readonly truth: ClinkTruth;
  readonly end: object;
}

function truth(statuses: Record<string, string>, current: string): ClinkTruth {
  return {
    order: (clinkOrderId): OrderAnswer => ({
      clinkOrderId,
      clinkSessionId: SESSION_ID,
      merchantOrderId: ORDER_ID,
      status: statuses[clinkOrderId] ?? 'pending',
      amountTotal: '19.99',
      paymentCurrency: 'USD',
      failureCode: statuses[clinkOrderId] === 'failed' ? 'card_declined' : null,
      failureMessage: statuses[clinkOrderId] === 'failed' ? 'declined' : null,
    }),
    session: () => ({ clinkSessionId: SESSION_ID, merchantOrderId: ORDER_ID, status: 'open', clinkOrderId: current }),
  };
}

const A = (type: Parameters<typeof orderEvent>[0], created: number) =>
  orderEvent(type, { clinkOrderId: 'order_A', created });
const B = (type: Parameters<typeof orderEvent>[0], created: number) =>
  orderEvent(type, { clinkOrderId: 'order_B', created });

const HISTORIES: readonly History[] = [
  {
    name: 'one attempt with verification',
    events: [
      A('order.created', T),
      A('order.next_action', T + 1),
      A('order.succeeded', T + 2),
      sessionEvent('session.complete', { created: T + 3 }),
    ],
    truth: truth({ order_A: 'success' }, 'order_A'),
    end: { paymentStatus: 'paid', fulfillmentStatus: 'pending', sessionStatus: 'completed', refundedAmount: '0' },
  },
  {
    name: 'one attempt, all in one millisecond',
    events: [A('order.created', T), A('order.next_action', T), A('order.succeeded', T)],
    truth: truth({ order_A: 'success' }, 'order_A'),
    end: { paymentStatus: 'paid', fulfillmentStatus: 'pending' },
  },
  {
    name: 'declined, then paid with another attempt, refunded in two parts',
    events: [
      A('order.created', T),
      A('order.failed', T + 1),
      B('order.created', T + 2),
      B('order.succeeded', T + 3),
      sessionEvent('session.complete', { created: T + 4 }),
      refundEvent({ refundId: 'rfd_1', clinkOrderId: 'order_B', amount: '5' }),
      refundEvent({ refundId: 'rfd_2', clinkOrderId: 'order_B', amount: '14.99' }),
    ],
    truth: truth({ order_A: 'failed', order_B: 'refunded' }, 'order_B'),
    end: {
      paymentStatus: 'refunded',
      fulfillmentStatus: 'pending',
      sessionStatus: 'completed',
      refundedAmount: '19.99',
    },
  },
  {
    name: 'declined, then verification of another attempt begun at the same time',
    events: [A('order.created', T), A('order.failed', T + 1), B('order.created', T), B('order.next_action', T + 1)],
    truth: truth({ order_A: 'failed', order_B: 'requires_action' }, 'order_B'),
    end: { paymentStatus: 'action_required', fulfillmentStatus: 'none' },
  },
  {
    name: 'abandoned',
    events: [A('order.created', T), A('order.failed', T + 1), sessionEvent('session.expired', { created: T + 2 })],
    truth: truth({ order_A: 'failed' }, 'order_A'),
    end: { paymentStatus: 'payment_failed', fulfillmentStatus: 'none', sessionStatus: 'expired' },
  },
  {
    name: 'a success that an older failure contradicts',
    events: [A('order.created', T), A('order.failed', T + 1), A('order.succeeded', T + 2)],
    truth: truth({ order_A: 'success' }, 'order_A'),
    end: { paymentStatus: 'paid', fulfillmentStatus: 'pending' },
  },
  {
    name: 'a payment that a promotion brought to nothing',
    events: [A('order.created', T), orderEvent('order.succeeded', { created: T + 1, amountTotal: '0' })],
    truth: truth({ order_A: 'success' }, 'order_A'),
    end: { paymentStatus: 'paid', fulfillmentStatus: 'pending' },
  },
];

describe.each(HISTORIES)('$name', ({ events, truth, end }) => {
  it('ends the same in every order of arrival', () => {
    let orders = 0;
    for (const order of permutations(events)) {
      endsWell(order, truth, end);
      orders++;
    }
    expect(orders).toBe(factorial(events.length));
  });

  it('ends the same with events doubled and deferred ones retried at any moment', () => {
    const disturbed = fc.tuple(
      fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 }),
      fc.array(fc.boolean(), { minLength: events.length * 2, maxLength: events.length * 2 }),
    );
    fc.assert(fc.property(disturbed, ([order, retries]) => endsWell(order, truth, end, retries)));
  });
});

function endsWell(
  arrival: readonly ClinkEvent[],
  truth: ClinkTruth,
  end: object,
  retries: readonly boolean[] = [],
): void {
  const store = new MemoryStore([merchantOrder()]);
  let wasPaid = false;
  arrival.forEach((event, at) => {
    store.deliver(event);
    if (retries[at]) store.retryDeferred();
    wasPaid = holds(store, wasPaid);
  });
  store.drain(truth);
  holds(store, wasPaid);
  expect(store.orders.get(ORDER_ID)).toMatchObject(end);
  expect([...store.pending.keys(), ...store.cases.keys()]).toEqual([]);
}

/** What must be true at every moment; returns whether the order is paid now. */
function holds(store: MemoryStore, wasPaid: boolean): boolean {
  const order = store.orders.get(ORDER_ID) ?? merchantOrder();
  const isPaid = ['paid', 'partial_refunded', 'refunded'].includes(order.paymentStatus);
  if (wasPaid) expect(isPaid).toBe(true);
  expect(isPaid).toBe(order.refundBasis !== null);
  expect(store.tasks.has(`fulfill:${ORDER_ID}`)).toBe(isPaid);
  expect(sumOf([...store.refunds.values()].map((r) => r.amount)).equals(order.refundedAmount)).toBe(true);
  return isPaid;
}

function* permutations<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) yield [];
  for (const [at, item] of items.entries()) {
    for (const rest of permutations(items.toSpliced(at, 1))) yield [item, ...rest];
  }
}

function factorial(n: number): number {
  return n <= 1 ? 1 : n * factorial(n - 1);
}
