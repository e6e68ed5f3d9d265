import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { orderAfter } from '../support/attempts.ts';
import { type Backend, type Order, startBackend } from '../support/backend.ts';
import { T } from '../support/clink-events.ts';
import { untilBlocked } from '../support/collision.ts';
import { expectProcessed, lastReason, runToTheEnd } from '../support/outcome.ts';
import { attemptedOrder, deliverAll, newClinkOrderId, newRefundId, succeeded } from '../support/payments.ts';
import { tasksOfEvent } from '../support/snapshot.ts';
import { casesOf, eventStatus, refundsOf, storedAttempt, storedOrder } from '../support/stored.ts';
import { type Body, orderBody, refundBody, sessionBody } from '../support/webhooks.ts';

/** One try and no more, so that a deferred event's task has failed for good as soon as it has run. */
let backend: Backend;
beforeAll(async () => {
  backend = await startBackend({ maxAttempt: 1 });
});
beforeEach(async () => {
  await backend.db.owner`DELETE FROM outbox`;
});
afterAll(() => backend.close());

const reprocessTask = async ({ id }: Body) =>
  (await tasksOfEvent(backend.db.owner, id)).find(({ task }) => task === 'reprocess_webhook');

/** Delivers an event that has to wait, and lets its task fail for good. */
async function giveUpOn(event: Body): Promise<void> {
  await deliverAll(backend, event);
  await backend.runOnce('reprocess_webhook');
  expect(await reprocessTask(event)).toMatchObject({ status: 'failed', attempt: 1 });
  expect(await eventStatus(backend.db.owner, event.id)).toBe('pending');
}

/** Holds that the event's task is due with all its tries, by the transaction that last wrote to the order or its attempts. */
async function expectRevivedWith({ id }: Order, event: Body): Promise<void> {
  expect(await reprocessTask(event)).toMatchObject({ status: 'pending', attempt: 0 });
  const [revived] = await backend.db.owner`
    SELECT id FROM outbox
    WHERE dedupe_key = ${`reprocess_webhook:${event.id}`} AND due_at <= now() AND xmin::text IN (
      SELECT xmin::text FROM merchant_orders WHERE id = ${id}
      UNION SELECT xmin::text FROM payment_attempts WHERE merchant_order_id = ${id})`;
  expect(revived).toBeDefined();
}

/** Starts a checkout and keeps Clink's answer back: the order and its session exist, but not yet together. */
async function checkoutWithoutSession() {
  const held = backend.gate.hold();
  const checkout = backend.checkout();
  const { sessionId } = await held.answered;
  const [row] = await backend.db.owner<{ id: string }[]>`SELECT id FROM merchant_orders WHERE clink_session_id IS NULL`;
  const order: Order = { id: row?.id ?? '', sessionId };
  const save = async () => {
    held.release();
    expect(await checkout).toEqual(order);
  };
  return { order, save };
}

describe('a deferred event whose task has failed for good', () => {
  it('A1 a status that waited for its creation: due again with it, and then it counts', async () => {
    const order = await orderAfter(backend, 'order.failed');
    const next = newClinkOrderId();
    const waiting = orderBody('order.next_action', order, next, { created: T + 3000 });
    await giveUpOn(waiting);
    const [failed] = await backend.db.owner<{ count: number }[]>`
      SELECT count(*) FROM outbox WHERE task = 'page_outbox_failure' AND event_id = ${waiting.id}`;
    expect(failed).toEqual({ count: 1 });

    await deliverAll(backend, orderBody('order.created', order, next, { created: T + 2000 }));
    await expectRevivedWith(order, waiting);
    await backend.runOnce('reprocess_webhook');
    await expectProcessed(backend, waiting);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'action_required' });
  });

  it('A5 a status that waited for the session to name its attempt: due again with the answer to another question', async () => {
    const order = await orderAfter(backend, 'order.failed');
    const next = newClinkOrderId();
    const waiting = orderBody('order.next_action', order, next, { created: T + 3000 });
    await giveUpOn(waiting);
    const [question] = (await tasksOfEvent(backend.db.owner, waiting.id)).filter((t) => t.task === 'reconcile_session');
    await backend.db.owner`UPDATE outbox SET status = 'failed' WHERE id = ${question?.id ?? 0}`;

    const later = orderBody('order.failed', order, next, { created: T + 4000 });
    await deliverAll(backend, later);
    await backend.clinkSays(`/sessions/${order.sessionId}`, { orderId: next });
    await backend.runOnce('reconcile_session');
    await expectProcessed(backend, later);
    await expectRevivedWith(order, waiting);
    await backend.runOnce('reprocess_webhook');
    await expectProcessed(backend, waiting);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'payment_failed' });
  });

  it('a refund that waited for its attempt and then for the payment: due again with each of them', async () => {
    const order = { ...(await backend.checkout()), clinkOrderId: newClinkOrderId() };
    const waiting = refundBody(order.clinkOrderId, newRefundId(), 5);
    await giveUpOn(waiting);

    await deliverAll(backend, orderBody('order.created', order, order.clinkOrderId, { created: T }));
    await expectRevivedWith(order, waiting);
    await backend.runOnce('reprocess_webhook');
    expect(await lastReason(backend, order)).toBe('refund_basis_missing');
    expect(await reprocessTask(waiting)).toMatchObject({ status: 'failed' });

    await deliverAll(backend, succeeded(order));
    await expectRevivedWith(order, waiting);
    await backend.runOnce('reprocess_webhook');
    await expectProcessed(backend, waiting);
    expect(await refundsOf(backend.db.owner, order.id)).toMatchObject([{ amount: '5' }]);
  });

  it('a refund whose task runs out of tries while its payment commits: looked at once more', async () => {
    const order = { ...(await backend.checkout()), clinkOrderId: newClinkOrderId() };
    const waiting = refundBody(order.clinkOrderId, newRefundId(), 5);
    await deliverAll(backend, waiting);

    // The task has read that there is no attempt, and waits at the event's row while the payment comes and waits for it.
    const holder = await backend.db.owner.reserve();
    await holder`BEGIN`;
    await holder`SELECT FROM webhook_events WHERE id = ${waiting.id} FOR UPDATE`;
    const running = backend.runOnce('reprocess_webhook');
    await untilBlocked(backend.db.owner, 1);
    const paying = deliverAll(backend, succeeded(order));
    await untilBlocked(backend.db.owner, 2);
    await holder`ROLLBACK`;
    holder.release();
    await Promise.all([running, paying]);

    expect(await eventStatus(backend.db.owner, waiting.id)).toBe('pending');
    expect(await reprocessTask(waiting)).toMatchObject({ status: 'pending', attempt: 0 });
    await backend.runOnce('reprocess_webhook');
    await expectProcessed(backend, waiting);
    expect(await refundsOf(backend.db.owner, order.id)).toMatchObject([{ amount: '5' }]);
  });

  it('an event of another order: what this order brings does not wake it', async () => {
    const [order, other] = [await orderAfter(backend, 'order.failed'), await orderAfter(backend, 'order.failed')];
    const waiting = orderBody('order.next_action', other, newClinkOrderId(), { created: T + 3000 });
    await giveUpOn(waiting);
    await deliverAll(backend, orderBody('order.created', order, newClinkOrderId(), { created: T + 2000 }));
    expect(await reprocessTask(waiting)).toMatchObject({ status: 'failed' });
  });
});

describe('an event that is faster than its checkout', () => {
  it.each([
    { type: 'order.created', paymentStatus: 'pending', tasks: ['reprocess_webhook'] },
    { type: 'order.succeeded', paymentStatus: 'paid', tasks: ['reprocess_webhook', 'fulfill'] },
  ] as const)(
    '$type before the session is saved: neither lost nor foreign, and heals when the checkout saves it',
    async ({ type, paymentStatus, tasks }) => {
      const { order, save } = await checkoutWithoutSession();
      const clinkOrderId = newClinkOrderId();
      const early = orderBody(type, order, clinkOrderId);
      await giveUpOn(early);
      expect(await lastReason(backend, order)).toBe('session_not_saved_yet');
      expect(await casesOf(backend.db.owner, order.id)).toEqual([]);
      expect(await storedAttempt(backend.db.owner, clinkOrderId)).toBeUndefined();
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'created' });

      await save();
      await expectRevivedWith(order, early);
      await backend.runOnce('reprocess_webhook');
      await expectProcessed(backend, early);
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus });
      expect((await tasksOfEvent(backend.db.owner, early.id)).map(({ task }) => task)).toEqual(
        expect.arrayContaining([...tasks]),
      );
    },
  );

  it('a session that ends before it is saved: ended when the checkout has saved it', async () => {
    const { order, save } = await checkoutWithoutSession();
    const early = sessionBody('session.expired', order);
    await giveUpOn(early);
    await save();
    await expectRevivedWith(order, early);
    await backend.runOnce('reprocess_webhook');
    await expectProcessed(backend, early);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ clinkSessionStatus: 'expired' });
  });

  it('a foreign session while ours is not saved: waits, and is a case once ours is known', async () => {
    const { order, save } = await checkoutWithoutSession();
    const foreign = orderBody('order.succeeded', order, newClinkOrderId(), { sessionId: 'sess_other' });
    await giveUpOn(foreign);
    expect(await casesOf(backend.db.owner, order.id)).toEqual([]);

    await save();
    await expectRevivedWith(order, foreign);
    await backend.runOnce('reprocess_webhook');
    await expectProcessed(backend, foreign);
    expect(await casesOf(backend.db.owner, order.id)).toMatchObject([{ reason: 'order_event_session_mismatch' }]);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'pending' });
  });

  it('an order that nobody knows yet: waits without touching any other', async () => {
    const order = await attemptedOrder(backend);
    const unknown = orderBody('order.succeeded', { ...order, id: 'mo_unknown' }, order.clinkOrderId, {
      created: T + 1,
    });
    await giveUpOn(unknown);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'pending' });
    expect(await storedAttempt(backend.db.owner, order.clinkOrderId)).toMatchObject({ status: 'pending' });
    await runToTheEnd(backend, order);
  });
});
