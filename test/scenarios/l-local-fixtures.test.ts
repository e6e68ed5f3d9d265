import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backend, startBackend } from '../support/backend.ts';
import { T } from '../support/clink-events.ts';
import { casesOf, eventStatus, storedAttempt, storedOrder, tasksOf } from '../support/stored.ts';
import { orderBody } from '../support/webhooks.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await startBackend();
});
afterAll(() => backend.close());

async function paidOrder(clinkOrderId: string) {
  const order = await backend.checkout();
  const succeeded = orderBody('order.succeeded', order, clinkOrderId, { created: T + 1000 });
  const created = await backend.deliver(orderBody('order.created', order, clinkOrderId, { created: T }));
  const paid = await backend.deliver(succeeded);
  expect([created, paid]).toEqual(Array(2).fill({ statusCode: 200, body: 'ok' }));
  return { order, succeeded };
}

describe('L the local fixtures', () => {
  it('L1 created, then succeeded: paid, with its refund basis and one fulfilment', async () => {
    const { order } = await paidOrder('order_l1');
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'paid',
      fulfillmentStatus: 'pending',
      refundablePaidClinkOrderId: 'order_l1',
      refundablePaidAmount: '19.99',
      refundablePaidCurrency: 'USD',
    });
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['fulfill']);

    await backend.runDue();
    const deliveries = backend.merchant.calls.filter(({ idempotencyKey }) => idempotencyKey === order.id);
    expect(deliveries).toMatchObject([
      {
        path: '/fulfillment',
        data: { merchantOrderId: order.id, clinkOrderId: 'order_l1', amount: '19.99', currency: 'USD' },
      },
    ]);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ fulfillmentStatus: 'fulfilled' });
  });

  it('L2 the exact duplicate: 200 and no second fulfilment', async () => {
    const { order, succeeded } = await paidOrder('order_l2');
    expect(await backend.deliver(succeeded)).toEqual({ statusCode: 200, body: 'ok' });
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['fulfill']);
  });

  it('L3 an older failure after the success: still paid', async () => {
    const { order } = await paidOrder('order_l3');
    const failed = orderBody('order.failed', order, 'order_l3', { created: T + 500 });
    expect(await backend.deliver(failed)).toMatchObject({ statusCode: 200 });
    expect(await eventStatus(backend.db.owner, failed.id)).toBe('processed');
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'paid' });
    expect(await storedAttempt(backend.db.owner, 'order_l3')).toMatchObject({ status: 'succeeded', failureCode: null });
  });

  it('L4 a bad signature: 401 and no row', async () => {
    const order = await backend.checkout();
    const created = orderBody('order.created', order, 'order_l4');
    const answer = await backend.deliver(created, { 'x-clink-signature': '0'.repeat(64) });
    expect(answer).toEqual({ statusCode: 401, body: 'invalid signature' });
    expect(await eventStatus(backend.db.owner, created.id)).toBeUndefined();
    expect(await storedAttempt(backend.db.owner, 'order_l4')).toBeUndefined();
  });

  it('L5 a foreign session: one durable case and task, nothing paid', async () => {
    const order = await backend.checkout();
    const foreign = orderBody('order.succeeded', order, 'order_l5', { sessionId: 'sess_other' });
    expect(await backend.deliver(foreign)).toMatchObject({ statusCode: 200 });
    expect(await eventStatus(backend.db.owner, foreign.id)).toBe('processed');
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'pending',
      refundablePaidAmount: null,
    });
    expect(await casesOf(backend.db.owner, order.id)).toMatchObject([{ reason: 'order_event_session_mismatch' }]);
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['manual_reconciliation']);
  });
});
