import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OwnedTask } from '../../functions/database/outbox.ts';
import { fulfillOrder } from '../../functions/flows/fulfill-order.ts';
import { openReconciliationCase } from '../../functions/flows/open-reconciliation-case.ts';
import { pageFailure } from '../../functions/flows/page-failure.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { caseStatus, insertCase, insertPaidOrder, orderRow } from './orders.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.drop());

const { signal } = new AbortController();
const owned = { claimToken: 'own', signal, ensureOwned: async () => undefined };
const lost = { ...owned, ensureOwned: () => Promise.reject(new Error('lease lost')) };
const task = (fields: Partial<OwnedTask>): OwnedTask => ({
  id: 1,
  task: 'fulfill',
  eventId: 'evt_1',
  merchantOrderId: null,
  clinkOrderId: null,
  payload: {},
  dedupeKey: 'key',
  attempt: 0,
  claimToken: 'own',
  ...fields,
});

describe('fulfilment', () => {
  const calls: unknown[] = [];
  const fulfillment = { fulfill: async (...call: unknown[]) => void calls.push(call) };
  const fulfill = (id: string, lease = owned) =>
    fulfillOrder({ sql: db.app, fulfillment }, task({ merchantOrderId: id }), lease);

  it('delivers what was bought under the order’s own id, and marks it', async () => {
    await insertPaidOrder(db.owner, 'order_1');
    await fulfill('order_1');
    const order = {
      merchantOrderId: 'order_1',
      clinkOrderId: 'clink_order_1',
      customerId: 'cust_1',
      product: { id: 'prod_1', name: 'Poster', unitAmount: '50', quantity: 2 },
      amount: '100',
      currency: 'USD',
    };
    expect(calls.splice(0)).toEqual([[order, { idempotencyKey: 'order_1', eventId: 'evt_1', signal }]]);
    expect(await orderRow(db.owner, 'order_1')).toMatchObject({ fulfillmentStatus: 'fulfilled' });
  });

  it('does not deliver again what is delivered', async () => {
    await fulfill('order_1');
    expect(calls.splice(0)).toEqual([]);
  });

  it('leaves the mark to another worker when its lease is lost', async () => {
    await insertPaidOrder(db.owner, 'order_2');
    await expect(fulfill('order_2', lost)).rejects.toThrow('lease lost');
    expect(calls.splice(0)).toHaveLength(1);
    expect(await orderRow(db.owner, 'order_2')).toMatchObject({ fulfillmentStatus: 'pending' });
  });

  it.each([
    ['partial_refunded', 50, 1, 'fulfilled'],
    ['refunded', 100, 0, 'none'],
  ])('of an order that is %s already', async (status, refunded, deliveries, fulfillmentStatus) => {
    const id = `order_${status}`;
    await insertPaidOrder(db.owner, id);
    await db.owner`UPDATE merchant_orders SET payment_status = ${status}, refunded_amount = ${refunded} WHERE id = ${id}`;
    await fulfill(id);
    expect(calls.splice(0)).toHaveLength(deliveries);
    expect(await orderRow(db.owner, id)).toMatchObject({ fulfillmentStatus });
  });

  it('comes back for an order that is not there, or not paid', async () => {
    await expect(fulfill('order_unknown')).rejects.toMatchObject({ code: 'order_missing', permanent: false });
    await db.owner`
      INSERT INTO merchant_orders (id, customer_id, product_snapshot, original_amount, original_currency)
      VALUES ('order_unpaid', 'cust_1', '{}', 1, 'USD')`;
    await expect(fulfill('order_unpaid')).rejects.toMatchObject({ code: 'order_not_paid', permanent: false });
  });
});

describe('a reconciliation case', () => {
  const calls: unknown[] = [];
  const desk = { openOrUpdate: async (...call: unknown[]) => void calls.push(['desk', ...call]) };
  const alerting = { openOrUpdate: async (...call: unknown[]) => void calls.push(['alert', ...call]) };
  const open = (caseKey: string | null) =>
    openReconciliationCase({ sql: db.app, desk, alerting }, task({ payload: { caseKey } }), owned);

  it('is opened at the desk with its evidence, then alerted without', async () => {
    await insertPaidOrder(db.owner, 'order_case');
    await insertCase(db.owner, 'case_1', 'order_case');
    await open('case_1');
    const context = {
      caseKey: 'case_1',
      eventId: 'evt_1',
      merchantOrderId: 'order_case',
      clinkOrderId: null,
      refundId: null,
      reason: 'refund_total_exceeds_payment_basis',
    };
    expect(calls.splice(0)).toEqual([
      ['desk', { ...context, evidence: { refunded: '120' } }, { idempotencyKey: 'case_1', signal }],
      ['alert', { dedupeKey: 'case_1', title: expect.any(String), context }, { signal }],
    ]);
    expect(await caseStatus(db.owner, 'case_1')).toBe('open');
  });

  it('that a person has resolved stays resolved', async () => {
    await db.owner`UPDATE reconciliation_cases SET status = 'resolved' WHERE dedupe_key = 'case_1'`;
    await open('case_1');
    expect(await caseStatus(db.owner, 'case_1')).toBe('resolved');
  });

  it('that is not there is looked for again', async () => {
    await expect(open('case_unknown')).rejects.toMatchObject({ code: 'case_missing', permanent: false });
  });

  it('without a key is given up', async () => {
    await expect(open(null)).rejects.toMatchObject({ code: 'payload_incomplete', permanent: true });
  });
});

it('a page takes from its task nothing but ids and codes', async () => {
  const calls: unknown[] = [];
  const alerting = { openOrUpdate: async (...call: unknown[]) => void calls.push(call) };
  const payload = { failedTaskId: 7, failedTask: 'fulfill', errorName: 'Failure', errorCode: null, message: 'secret' };
  await pageFailure({ alerting }, task({ dedupeKey: 'outbox_failure_alert:7', payload }), owned);
  const { message: _, ...context } = payload;
  expect(calls).toEqual([[{ dedupeKey: 'outbox_failure_alert:7', title: expect.any(String), context }, { signal }]]);
});
