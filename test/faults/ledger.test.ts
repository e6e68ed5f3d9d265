import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../proof/snapshot.ts';
import { orderEvent, paidOrder, refund, refundEvent, SESSION_ID } from '../support/clink-events.ts';
import { differences } from './differences.ts';
import { type Ledger, readLedger } from './ledger.ts';

const [PAYMENT, REFUND] = [orderEvent('order.succeeded', { id: 'e_1' }), refundEvent({ id: 'e_2' })];
const ORDER = paidOrder({ paymentStatus: 'partial_refunded', fulfillmentStatus: 'fulfilled', refundedAmount: '5' });
const BOOKED = refund({ refundId: 'rfd_1', amount: '5' });

/** One order, paid, delivered, and given back in part. */
const STORED: Snapshot = {
  orders: [ORDER],
  attempts: [],
  refunds: [{ ...BOOKED, firstEventId: 'e_2' }],
  cases: [],
  tasks: [],
  events: [PAYMENT, REFUND].map((event) => ({ event, status: 'processed' })),
  journal: [],
};

const CALL = { idempotencyKey: ORDER.id, accepted: true, merchantOrderId: ORDER.id, currency: 'USD' };
const DELIVERY = { ...CALL, task: 'fulfill', amount: '19.99' };
const TOLD = { ...CALL, task: 'apply_refund_policy', idempotencyKey: 'rfd_1', amount: '5' };
const PAID = { clinkOrderId: 'order_A', clinkSessionId: SESSION_ID, status: 'partial_refunded', amount: '19.99' };
const LEDGER: Ledger = {
  sessions: [{ clinkSessionId: SESSION_ID, merchantOrderId: ORDER.id, clinkOrderId: 'order_A', price: '19.99' }],
  orders: [{ ...PAID, currency: 'USD' }],
  refunds: [{ refundId: 'rfd_1', clinkOrderId: 'order_A', amount: '5.00', currency: 'USD' }],
  events: ['e_1', 'e_2'].map((id) => ({ id, type: 'order.succeeded', created: 1, clinkSessionId: null })),
  calls: [DELIVERY, TOLD],
};
const CASE = { dedupeKey: 'k', eventId: 'e_1', merchantOrderId: ORDER.id, clinkOrderId: null, refundId: null };
const SECOND = { ...PAID, clinkOrderId: 'order_B', status: 'success', currency: 'USD' };
const REFUSED = { refundId: 'rfd_2', clinkOrderId: 'order_A', amount: '1', currency: 'USD' };

test('two ledgers and a database that agree differ in nothing', () => {
  expect(differences(LEDGER, STORED)).toEqual([]);
});

test('an order that was given back before its delivery may go without', () => {
  const withheld = { ...ORDER, fulfillmentStatus: 'none' } as const;
  expect(differences({ ...LEDGER, calls: [TOLD] }, { ...STORED, orders: [withheld] })).toEqual([]);
});

test('Clink may count a refund that could not be booked', () => {
  const refunds = [...LEDGER.refunds, { ...REFUSED, amount: '19.99' }];
  const orders = [{ ...PAID, status: 'refunded', currency: 'USD' }];
  const found = differences({ ...LEDGER, refunds, orders }, STORED);
  expect(found).toEqual(['the conflict refund_conflict:rfd_2 has no case']);
});

describe('a difference is told:', () => {
  test.each<[string, Partial<Ledger>, Partial<Snapshot>, RegExp]>([
    ['a payment that Clink did not take', { orders: [{ ...PAID, status: 'failed', currency: 'USD' }] }, {}, /took 0/],
    ['a payment that is not stored', {}, { orders: [{ ...ORDER, paymentStatus: 'pending' }] }, /took 1 payments/],
    ['another amount', { orders: [{ ...PAID, amount: '20', currency: 'USD' }] }, {}, /was paid 19.99 USD by order_A/],
    ['another currency', { orders: [{ ...PAID, currency: 'EUR' }] }, {}, /was paid 19.99 USD by order_A/],
    ['another session', { sessions: [] }, {}, /sess_1, which Clink did not open/],
    ['an order that is not stored', {}, { orders: [] }, /mo_1, which is not stored/],
    [
      'a second payment without its case',
      { orders: [{ ...PAID, currency: 'USD' }, SECOND] },
      {},
      /order_B has no case/,
    ],
    ['no delivery', { calls: [TOLD] }, {}, /paid and was not delivered/],
    ['two deliveries', { calls: [DELIVERY, { ...DELIVERY, idempotencyKey: 'k' }, TOLD] }, {}, /under mo_1 and k/],
    ['a delivery at another price', { calls: [{ ...DELIVERY, amount: '1' }, TOLD] }, {}, /delivered for 1 USD/],
    ['a delivery that nobody marked', {}, { orders: [{ ...ORDER, fulfillmentStatus: 'pending' }] }, /is pending/],
    [
      'a refund that is not stored',
      { refunds: [...LEDGER.refunds, REFUSED] },
      {},
      /rfd_2 is not stored, and would fit/,
    ],
    ['a refund of another amount', { refunds: [{ ...REFUSED, refundId: 'rfd_1' }] }, {}, /rfd_1 is stored otherwise/],
    ['a wrong total', {}, { orders: [{ ...ORDER, refundedAmount: '6' }] }, /gave back 6, at Clink 5/],
    ['a wrong refund status', {}, { orders: [{ ...ORDER, paymentStatus: 'refunded' }] }, /at Clink partial_refunded/],
    ['a refund that nobody was told of', { calls: [DELIVERY] }, {}, /knows that mo_1 gave back 0, not 5/],
    ['refunds told backwards', { calls: [DELIVERY, { ...TOLD, amount: '7' }, TOLD] }, {}, /told 5 of mo_1 after 7/],
    ['a lost event', {}, { events: STORED.events.slice(1) }, /the event e_1 is not stored/],
    ['an event that waits', {}, { events: STORED.events.map((e) => ({ ...e, status: 'pending' })) }, /e_2 is pending/],
    ['a made-up event', { events: LEDGER.events.slice(1) }, {}, /e_1 is stored and was never sent/],
    [
      'a case for nothing',
      {},
      { cases: [{ ...CASE, reason: 'order_query_contradicts_success', evidence: {} }] },
      /the case k has no conflict\nthe merchant never got the case k/,
    ],
  ])('%s', (_, ledger, stored, words) => {
    expect(differences({ ...LEDGER, ...ledger }, { ...STORED, ...stored }).join('\n')).toMatch(words);
  });

  test('a delivery of an order that is not paid', () => {
    const unpaid = { ...ORDER, paymentStatus: 'created', fulfillmentStatus: 'none', refundBasis: null } as const;
    const found = differences({ ...LEDGER, orders: [], calls: [DELIVERY] }, { ...STORED, orders: [unpaid] });
    expect(found).toContain('mo_1 is not paid, and its delivery was asked for');
  });
});

test('the ledgers are read with their amounts digit for digit', () => {
  const session = { sessionId: 'sess_1', merchantReferenceId: 'mo_1', orderId: null, amountSubtotal: 19.99 };
  const event = { id: 'e_1', type: 'session.expired', created: 7, data: { object: session } };
  const state = JSON.stringify({ sessions: [session], orders: [], refunds: [], events: [event] });
  const call = { task: 'fulfill', idempotencyKey: 'mo_1', status: 503, body: { data: { amount: '19.99' } } };
  const ledger = readLedger(state.replaceAll('19.99', '19.990'), JSON.stringify([call]));
  expect(ledger.sessions[0]?.price).toBe('19.990');
  expect(ledger.events[0]).toMatchObject({ clinkSessionId: 'sess_1', created: 7 });
  expect(ledger.calls[0]).toMatchObject({ accepted: false, amount: '19.99', merchantOrderId: null });
});
