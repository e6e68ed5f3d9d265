import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backend, type Order, startBackend } from '../support/backend.ts';
import { T } from '../support/clink-events.ts';
import { collide, orderLocks } from '../support/collision.ts';
import {
  type Attempted,
  attemptedOrder,
  deliverAll,
  newClinkOrderId,
  newRefundId,
  paidOrder,
  succeeded,
} from '../support/payments.ts';
import { snapshotOf, tasksOfEvent } from '../support/snapshot.ts';
import { eventStatus, journalOf, refundsOf, storedAttempt, storedOrder, tasksOf } from '../support/stored.ts';
import { type Body, orderBody, refundBody, sessionBody } from '../support/webhooks.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await startBackend();
});
afterAll(() => backend.close());

const lastReason = async (order: Order) => (await journalOf(backend.db.owner, order.id)).at(-1);

describe('D out of order, several attempts', () => {
  it.each([
    ['older', T + 500, 'attempt_event_outdated'],
    ['newer', T + 2000, 'attempt_already_final'],
  ])('D1 failed, then %s next_action: stays failed', async (_age, created, reason) => {
    const order = await attemptedOrder(backend);
    await deliverAll(backend, orderBody('order.failed', order, order.clinkOrderId, { created: T + 1000 }));
    const before = await snapshotOf(backend.db.owner, order.id);
    expect(before.order).toMatchObject({ payment_status: 'payment_failed' });

    const late = orderBody('order.next_action', order, order.clinkOrderId, { created });
    await deliverAll(backend, late);
    expect(await snapshotOf(backend.db.owner, order.id)).toEqual(before);
    expect(await eventStatus(backend.db.owner, late.id)).toBe('processed');
    expect(await lastReason(order)).toBe(reason);
    expect(await storedAttempt(backend.db.owner, order.clinkOrderId)).toMatchObject({
      status: 'failed',
      lastEventCreated: T + 1000,
      failureCode: 'card_declined',
    });
  });

  it('D1 failed, older next_action, and the creation last of all: failed once its place in time is known', async () => {
    const order = { ...(await backend.checkout()), clinkOrderId: newClinkOrderId() };
    const { clinkOrderId } = order;
    const failed = orderBody('order.failed', order, clinkOrderId, { created: T + 1000 });
    const nextAction = orderBody('order.next_action', order, clinkOrderId, { created: T + 500 });
    await deliverAll(backend, failed, nextAction);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'pending' });

    await deliverAll(backend, orderBody('order.created', order, clinkOrderId, { created: T }));
    await backend.runDue();
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'payment_failed' });
    expect(await storedAttempt(backend.db.owner, clinkOrderId)).toMatchObject({
      status: 'failed',
      attemptCreatedAt: T,
      lastEventCreated: T + 1000,
    });
    expect(await eventStatus(backend.db.owner, failed.id)).toBe('processed');
    expect(await eventStatus(backend.db.owner, nextAction.id)).toBe('processed');
  });

  it.each([
    ['an older', T + 500, 'attempt_event_outdated'],
    ['a newer', T + 2000, 'attempt_already_final'],
  ])('D2 succeeded, then %s failed comes late: stays succeeded and paid', async (_age, created, reason) => {
    const order = await paidOrder(backend);
    const before = await snapshotOf(backend.db.owner, order.id);
    expect(before.order).toMatchObject({ payment_status: 'paid' });

    const late = orderBody('order.failed', order, order.clinkOrderId, { created });
    await deliverAll(backend, late);
    expect(await snapshotOf(backend.db.owner, order.id)).toEqual(before);
    expect(await eventStatus(backend.db.owner, late.id)).toBe('processed');
    expect(await lastReason(order)).toBe(reason);
    expect(await storedAttempt(backend.db.owner, order.clinkOrderId)).toMatchObject({
      status: 'succeeded',
      failureCode: null,
      failureMessage: null,
    });
  });

  it.each([
    ['in the order of time', [0, 1, 2, 3]],
    ['with B before A', [2, 3, 0, 1]],
    ['with both results before both creations', [1, 3, 0, 2]],
    ["with A's failure last", [0, 2, 3, 1]],
    ['backwards', [3, 2, 1, 0]],
  ])('D3 A failed and B succeeded in one session, delivered %s: paid once', async (_how, turns) => {
    const order = await backend.checkout();
    const [a, b] = [newClinkOrderId(), newClinkOrderId()];
    const events = [
      orderBody('order.created', order, a, { created: T }),
      orderBody('order.failed', order, a, { created: T + 1000 }),
      orderBody('order.created', order, b, { created: T + 2000 }),
      orderBody('order.succeeded', order, b, { created: T + 3000 }),
    ];
    await deliverAll(backend, ...turns.flatMap((turn) => events[turn] ?? []));
    await backend.runDue();

    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'paid',
      refundablePaidClinkOrderId: b,
      refundablePaidAmount: '19.99',
      fulfillmentStatus: 'fulfilled',
    });
    expect(await storedAttempt(backend.db.owner, a)).toMatchObject({ status: 'failed', failureCode: 'card_declined' });
    expect(await storedAttempt(backend.db.owner, b)).toMatchObject({ status: 'succeeded', failureCode: null });
    expect((await tasksOf(backend.db.owner, order.id)).filter((task) => task === 'fulfill')).toHaveLength(1);
    for (const { id } of events) expect(await eventStatus(backend.db.owner, id)).toBe('processed');
  });

  describe('B is current', () => {
    /** A failed and B asks for an action; `confirmed` has Clink's session name B. */
    async function orderOnItsSecondAttempt(how: 'by creation time' | 'by the session') {
      const order = await backend.checkout();
      const [a, b] = [newClinkOrderId(), newClinkOrderId()];
      await backend.clinkSays(`/sessions/${order.sessionId}`, { orderId: b });
      await deliverAll(backend, orderBody('order.created', order, a, { created: T }));
      if (how === 'by creation time') {
        await deliverAll(backend, orderBody('order.created', order, b, { created: T + 2000 }));
      }
      await deliverAll(backend, orderBody('order.next_action', order, b, { created: T + 3000 }));
      await backend.runDue();
      return { order, a, b, before: await snapshotOf(backend.db.owner, order.id) };
    }

    it.each(['by creation time', 'by the session'] as const)(
      'D4 %s, then late events of A: nothing moves',
      async (how) => {
        const { order, a, b, before } = await orderOnItsSecondAttempt(how);
        expect(before.order).toMatchObject({
          payment_status: 'action_required',
          current_clink_order_id: b,
          current_attempt_confirmed: how === 'by the session',
        });
        const late = [
          orderBody('order.next_action', order, a, { created: T + 500 }),
          orderBody('order.failed', order, a, { created: T + 4000 }),
          orderBody('order.created', order, a, { created: T }),
        ];
        await deliverAll(backend, ...late);

        const after = await snapshotOf(backend.db.owner, order.id);
        expect(after.order).toEqual(before.order);
        expect(after.tasks).toEqual(before.tasks);
        expect(after.cases).toEqual([]);
        expect(await storedAttempt(backend.db.owner, a)).toMatchObject({
          status: 'failed',
          lastEventCreated: T + 4000,
        });
        expect(await storedAttempt(backend.db.owner, b)).toMatchObject({
          status: 'action_required',
          lastEventCreated: T + 3000,
        });
        for (const { id } of late) expect(await eventStatus(backend.db.owner, id)).toBe('processed');
      },
    );

    it("D4 by creation time, then A's creation is seen for the first time: B stays current", async () => {
      const order = await attemptedOrder(backend);
      const [a, b] = [newClinkOrderId(), order.clinkOrderId];
      await deliverAll(backend, orderBody('order.next_action', order, b, { created: T + 3000 }));
      const before = await snapshotOf(backend.db.owner, order.id);

      await deliverAll(backend, orderBody('order.created', order, a, { created: T - 1000 }));
      const after = await snapshotOf(backend.db.owner, order.id);
      expect(after.order).toEqual(before.order);
      expect(after.tasks).toEqual([]);
      expect(after.order).toMatchObject({ payment_status: 'action_required', current_clink_order_id: b });
    });
  });

  /** Each kind of event, with what must be there before it. */
  const KINDS: readonly (readonly [string, () => Promise<{ order: Attempted; event: Body; tasks: string[] }>])[] = [
    [
      'order.created',
      async () => {
        const order = { ...(await backend.checkout()), clinkOrderId: newClinkOrderId() };
        return { order, event: orderBody('order.created', order, order.clinkOrderId), tasks: [] };
      },
    ],
    ['order.next_action', async () => followUp('order.next_action')],
    ['order.failed', async () => followUp('order.failed')],
    [
      'order.succeeded',
      async () => {
        const order = await attemptedOrder(backend);
        return { order, event: succeeded(order), tasks: ['fulfill'] };
      },
    ],
    [
      'an ambiguous order.failed',
      async () => {
        const order = { ...(await backend.checkout()), clinkOrderId: newClinkOrderId() };
        const event = orderBody('order.failed', order, order.clinkOrderId);
        return { order, event, tasks: ['reconcile_session', 'reprocess_webhook'] };
      },
    ],
    [
      'session.complete',
      async () => {
        const order = await attemptedOrder(backend);
        return { order, event: sessionBody('session.complete', order), tasks: [] };
      },
    ],
    [
      'refund.succeeded',
      async () => {
        const order = await paidOrder(backend);
        return { order, event: refundBody(order.clinkOrderId, newRefundId(), 5), tasks: ['refund_reconcile'] };
      },
    ],
    [
      'a conflicting order.succeeded',
      async () => {
        const order = await attemptedOrder(backend);
        const event = orderBody('order.succeeded', order, order.clinkOrderId, { sessionId: 'sess_other' });
        return { order, event, tasks: ['manual_reconciliation'] };
      },
    ],
  ];

  async function followUp(type: 'order.next_action' | 'order.failed') {
    const order = await attemptedOrder(backend);
    return { order, event: orderBody(type, order, order.clinkOrderId, { created: T + 1000 }), tasks: [] as string[] };
  }

  async function expectOnce(order: Attempted, event: Body, tasks: readonly string[]): Promise<void> {
    const { owner } = backend.db;
    const [journal] = await owner`SELECT count(*) FROM order_journal WHERE source_id = ${event.id}`;
    expect(journal).toEqual({ count: 1 });
    expect((await tasksOfEvent(owner, event.id)).map(({ task }) => task)).toEqual(tasks);
    expect(await refundsOf(owner, order.id)).toHaveLength(event.type === 'refund.succeeded' ? 1 : 0);
  }

  it.each(KINDS)('D5 %s five times, one after the other: done once', async (_kind, prepare) => {
    const { order, event, tasks } = await prepare();
    await deliverAll(backend, event);
    const before = await snapshotOf(backend.db.owner, order.id);
    await deliverAll(backend, event, event, event, event);
    expect(await snapshotOf(backend.db.owner, order.id)).toEqual(before);
    await expectOnce(order, event, tasks);
  });

  it.each(KINDS)('D5 %s five times at once: done once', async (_kind, prepare) => {
    const { order, event, tasks } = await prepare();
    const deliveries = Array.from({ length: 5 }, () => () => backend.deliver(event));
    const answers = await collide(backend.db.owner, orderLocks(order.id), deliveries);
    expect(answers).toEqual(Array(5).fill({ statusCode: 200, body: 'ok' }));
    await expectOnce(order, event, tasks);
  });

  it('D5 one event id with another body: the first one stays', async () => {
    const order = await attemptedOrder(backend);
    const event = orderBody('order.next_action', order, order.clinkOrderId, { created: T + 1000 });
    await deliverAll(backend, event);
    const before = await snapshotOf(backend.db.owner, order.id);
    await deliverAll(backend, { ...succeeded(order), id: event.id });
    expect(await snapshotOf(backend.db.owner, order.id)).toEqual(before);
    expect(await tasksOf(backend.db.owner, order.id)).toEqual([]);
  });
});
