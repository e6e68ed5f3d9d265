import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { operate } from '../../functions/operations/operate.ts';
import { type Backend, startBackend } from '../support/backend.ts';
import { attemptedOrder, deliverAll, newClinkOrderId, newRefundId, paidOrder } from '../support/payments.ts';
import { eventStatus, journalOf, storedOrder } from '../support/stored.ts';
import { orderBody, refundBody } from '../support/webhooks.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await startBackend({ maxAttempt: 2 });
});
afterEach(async () => {
  await backend.db.owner`DELETE FROM outbox`;
  await backend.db.owner`UPDATE webhook_events SET status = 'processed'`;
});
afterAll(() => backend.close());

type Rows = Readonly<Record<string, readonly Record<string, unknown>[]>>;

/** As the application's role, as the deployed function works. */
const ask = async (command: string, id?: string): Promise<Rows> =>
  (await operate(backend.db.app, { command, ...(id !== undefined && { id }) })) as Rows;
const act = (command: string, id: string | number) => operate(backend.db.app, { command, id: String(id) });

/** A paid order whose delivery the merchant's endpoint has refused for good. */
async function undeliveredOrder() {
  const order = await paidOrder(backend);
  backend.merchant.statuses.push(422);
  await backend.runOnce('fulfill');
  const failed = (await ask('failed')).failed?.find(({ merchantOrderId }) => merchantOrderId === order.id);
  return { ...order, taskId: String(failed?.id) };
}

/** An event for an order that does not exist, tried until it was given up. */
async function strayEvent() {
  const order = { id: 'mo_elsewhere', sessionId: 'sess_elsewhere' };
  const event = orderBody('order.created', order, newClinkOrderId());
  await deliverAll(backend, event);
  for (let tries = 0; tries < 2; tries++) {
    await backend.passBackoff();
    await backend.runOnce('reprocess_webhook');
  }
  return event.id;
}

describe('why', () => {
  it('tells an order by its own id, by its Clink order and by an event of it', async () => {
    const order = await attemptedOrder(backend);
    const paid = orderBody('order.succeeded', order, order.clinkOrderId, { created: 1_786_000_001_000 });
    await deliverAll(backend, paid, refundBody(order.clinkOrderId, newRefundId(), 5));

    const story = await ask('why', order.id);
    expect(story.order).toMatchObject([
      { id: order.id, paymentStatus: 'paid', fulfillmentStatus: 'pending', refundedAmount: '5' },
    ]);
    expect(story.attempts).toMatchObject([{ clinkOrderId: order.clinkOrderId, status: 'succeeded' }]);
    expect(story.refunds).toMatchObject([{ amount: '5', currency: 'USD' }]);
    expect(story.journal?.map(({ reason }) => reason)).toEqual(await journalOf(backend.db.owner, order.id));
    expect(story.events?.map(({ type }) => type).sort()).toEqual([
      'order.created',
      'order.succeeded',
      'refund.succeeded',
    ]);
    expect(story.tasks?.map(({ task }) => task)).toContain('fulfill');
    expect(await ask('why', order.clinkOrderId)).toEqual(story);
    expect(await ask('why', paid.id)).toEqual(story);
  });

  it('tells an event that waits for its order, and the task that tries it', async () => {
    const event = orderBody('order.created', { id: 'mo_late', sessionId: 'sess_late' }, newClinkOrderId());
    await deliverAll(backend, event);
    const story = await ask('why', event.id);
    expect(story.order).toEqual([]);
    expect(story.events).toMatchObject([{ id: event.id, status: 'pending', merchantOrderRef: 'mo_late' }]);
    expect(story.tasks).toMatchObject([{ task: 'reprocess_webhook', status: 'pending', attempt: 0 }]);
    expect(story.journal).toMatchObject([{ outcome: 'deferred', reason: 'order_unknown' }]);
  });

  it('finds an event that waits for its attempt by the order that it names', async () => {
    const order = await backend.checkout();
    const created = orderBody('order.failed', { ...order, id: '' }, newClinkOrderId());
    await deliverAll(backend, created);
    expect((await ask('why', order.id)).events).toMatchObject([{ id: created.id, status: 'pending' }]);
  });

  it('shows no body, address or token', async () => {
    const order = await undeliveredOrder();
    const told = JSON.stringify(await ask('why', order.id));
    const [secrets] = await backend.db.owner`SELECT clink_checkout_url FROM merchant_orders WHERE id = ${order.id}`;
    expect(told).toContain('MerchantCallError:422');
    expect(told).not.toContain('shopper@example.test');
    expect(told).not.toContain(String(secrets?.clinkCheckoutUrl));
  });

  it('has nothing to tell of an id that nobody knows', async () => {
    const story = await ask('why', 'nobody');
    expect(Object.values(story).flat()).toEqual([]);
  });
});

describe('retry', () => {
  it('has a delivery that was given up made after all', async () => {
    const order = await undeliveredOrder();
    expect((await storedOrder(backend.db.owner, order.id))?.fulfillmentStatus).toBe('failed');

    expect(await act('retry', order.taskId)).toEqual({ changed: true });
    expect((await storedOrder(backend.db.owner, order.id))?.fulfillmentStatus).toBe('pending');
    expect(await backend.runOnce('fulfill')).toBe(1);
    expect((await storedOrder(backend.db.owner, order.id))?.fulfillmentStatus).toBe('fulfilled');
    expect((await ask('why', order.id)).journal?.at(-1)).toMatchObject({
      source: 'operator',
      reason: 'task_retried',
      outcome: 'done',
      paymentStatusBefore: 'paid',
      paymentStatusAfter: 'paid',
    });
  });

  it('gives the full number of tries again, and a page when they are used up', async () => {
    await strayEvent();
    const [failed] = (await ask('failed')).failed ?? [];
    await act('retry', String(failed?.id));
    await backend.runOnce('reprocess_webhook');
    const rows = await backend.db.owner`SELECT status, attempt FROM outbox WHERE id = ${String(failed?.id)}`;
    expect([...rows]).toEqual([{ status: 'pending', attempt: 1 }]);
  });

  it('changes nothing a second time, nor for a task that has not failed', async () => {
    const order = await undeliveredOrder();
    const answers = await Promise.all([act('retry', order.taskId), act('retry', order.taskId)]);
    expect(answers.filter(({ changed }) => changed)).toHaveLength(1);
    expect(await act('retry', order.taskId)).toEqual({ changed: false });
    expect(await act('retry', '999999')).toEqual({ changed: false });
    const retried = (await journalOf(backend.db.owner, order.id)).filter((reason) => reason === 'task_retried');
    expect(retried).toHaveLength(1);
  });
});

describe('close', () => {
  it('sets a failed delivery aside and leaves the order undelivered', async () => {
    const order = await undeliveredOrder();
    expect(await act('close', order.taskId)).toEqual({ changed: true });
    expect((await ask('failed')).failed).toEqual([]);
    expect((await storedOrder(backend.db.owner, order.id))?.fulfillmentStatus).toBe('failed');
    expect(await journalOf(backend.db.owner, order.id)).toContain('task_closed');
    expect(await act('retry', order.taskId)).toEqual({ changed: false });
  });

  it('gives up an event together with the task that failed to decide it', async () => {
    const id = await strayEvent();
    const [failed] = (await ask('failed')).failed ?? [];
    expect(await act('close', String(failed?.id))).toEqual({ changed: true });
    expect(await eventStatus(backend.db.owner, id)).toBe('failed');
    expect((await ask('stuck')).stuck).toEqual([]);
    expect((await ask('why', id)).journal?.at(-1)).toMatchObject({ source: 'operator', reason: 'task_closed' });
  });
});

describe('resolve', () => {
  it('closes a case once and keeps its evidence', async () => {
    const order = await paidOrder(backend);
    await deliverAll(backend, refundBody(order.clinkOrderId, newRefundId(), 500));
    const [open] = (await ask('why', order.id)).cases ?? [];
    expect(open).toMatchObject({ reason: 'refund_total_exceeds_payment_basis', status: 'pending' });

    expect(await act('resolve', String(open?.caseKey))).toEqual({ changed: true });
    expect(await act('resolve', String(open?.caseKey))).toEqual({ changed: false });
    expect((await ask('why', order.id)).cases).toMatchObject([{ caseKey: open?.caseKey, status: 'resolved' }]);
    expect(await journalOf(backend.db.owner, order.id)).toContain('case_resolved');
  });

  it('changes nothing for a case that nobody filed', async () => {
    expect(await act('resolve', 'nothing')).toEqual({ changed: false });
  });
});

describe('lists', () => {
  it('failed: the oldest failure first, with its code', async () => {
    const first = await undeliveredOrder();
    const second = await undeliveredOrder();
    expect((await ask('failed')).failed).toMatchObject([
      { merchantOrderId: first.id, task: 'fulfill', lastError: 'MerchantCallError:422' },
      { merchantOrderId: second.id },
    ]);
  });

  it('stuck: the oldest deferred event first, with how its next try stands', async () => {
    const given = await strayEvent();
    const waiting = orderBody('order.created', { id: 'mo_late', sessionId: 'sess_late' }, newClinkOrderId());
    await deliverAll(backend, waiting);
    expect((await ask('stuck')).stuck).toMatchObject([
      { id: given, taskStatus: 'failed', nextTryAt: null },
      { id: waiting.id, taskStatus: 'pending', nextTryAt: expect.any(Date) },
    ]);
  });
});

describe('anything else', () => {
  it.each([
    undefined,
    {},
    { command: 'drop' },
    { command: 'why' },
    { command: 'why', id: 'a\u0000b' },
    { command: 'retry', id: '1; DELETE' },
    { command: 'failed', id: 'more' },
  ])('is refused: %j', async (request) => {
    await expect(operate(backend.db.app, request)).rejects.toThrow(/^give why /);
  });
});
