import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Transaction } from '../../functions/database/connection.ts';
import { ORDER_EVENTS, sessionNames } from '../support/attempts.ts';
import { type Backend, type Order, startBackend } from '../support/backend.ts';
import { T } from '../support/clink-events.ts';
import { collide } from '../support/collision.ts';
import { deliveriesOf, expectProcessed, lastReason, runToTheEnd, stateOf } from '../support/outcome.ts';
import {
  type Attempted,
  attemptedOrder,
  clinkOrderIs,
  deliverAll,
  newClinkOrderId,
  paidOrder,
} from '../support/payments.ts';
import { addAttempt, addOrder } from '../support/rows.ts';
import { snapshotOf, tasksOfEvent } from '../support/snapshot.ts';
import { casesOf, eventStatus, storedAttempt, storedOrder, tasksOf } from '../support/stored.ts';
import { type Body, orderBody } from '../support/webhooks.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await startBackend();
});
beforeEach(async () => {
  await backend.db.owner`DELETE FROM outbox`;
});
afterAll(() => backend.close());

type Kind = (typeof ORDER_EVENTS)[number];

/** Clink's word about `clinkOrderId`, given for `order` where the identifiers are not replaced. */
function word(type: Kind, order: Order, clinkOrderId: string, fields: Record<string, unknown> = {}): Body {
  return orderBody(type, order, clinkOrderId, { created: T + 2000, ...fields });
}

interface Conflict {
  /** Whose identifiers are all right: the owner of the attempt. */
  readonly owner: Attempted;
  /** The order that the event names, and that the case is filed under. */
  readonly claimed: Order;
  readonly event: (type: Kind) => Body;
  readonly reason: string;
}

/** An attempt of A, and an event that gives it to B with B's session. */
async function attemptOfAnotherOrder(): Promise<Conflict> {
  const [owner, claimed] = [await attemptedOrder(backend), await backend.checkout()];
  const event = (type: Kind) => word(type, claimed, owner.clinkOrderId);
  return { owner, claimed, event, reason: 'payment_attempt_ownership_conflict' };
}

/** The same attempt, told with its own order and another session. */
async function otherSession(): Promise<Conflict> {
  const owner = await attemptedOrder(backend);
  const event = (type: Kind) => word(type, owner, owner.clinkOrderId, { sessionId: 'sess_other' });
  return { owner, claimed: owner, event, reason: 'order_event_session_mismatch' };
}

/** The same attempt, told with its own session and another order. */
async function otherOrder(): Promise<Conflict> {
  const [owner, claimed] = [await attemptedOrder(backend), await backend.checkout()];
  const event = (type: Kind) => word(type, { id: claimed.id, sessionId: owner.sessionId }, owner.clinkOrderId);
  return { owner, claimed, event, reason: 'order_event_session_mismatch' };
}

/** An attempt stored for this order under a session that is not the order's any more. */
async function attemptOfAnotherSession(): Promise<Conflict> {
  const claimed = await backend.checkout();
  const clinkOrderId = await addAttempt(backend.db.owner, claimed.id, { clinkSessionId: 'sess_before' });
  const event = (type: Kind) => word(type, claimed, clinkOrderId);
  return { owner: { ...claimed, clinkOrderId }, claimed, event, reason: 'payment_attempt_ownership_conflict' };
}

const CONFLICTS = [
  { what: 'given to another order and its session', prepare: attemptOfAnotherOrder },
  { what: 'given to another session', prepare: otherSession },
  { what: 'given to another order', prepare: otherOrder },
  { what: 'stored under another session', prepare: attemptOfAnotherSession },
];

const keyOf = ({ claimed, owner }: Conflict) => `order_ownership_conflict:${claimed.id}:${owner.clinkOrderId}`;

/** Delivers conflicting events and holds that neither order moved, and that they left one case with one task. */
async function expectQuarantined(conflict: Conflict, events: readonly Body[]): Promise<void> {
  const { owner, claimed, reason } = conflict;
  const before = [await stateOf(backend, owner), await stateOf(backend, claimed)];
  await deliverAll(backend, ...events);
  expect([await stateOf(backend, owner), await stateOf(backend, claimed)]).toEqual(before);
  await expectProcessed(backend, ...events);
  expect(await lastReason(backend, claimed)).toBe(reason);
  expect(await casesOf(backend.db.owner, claimed.id)).toMatchObject([{ dedupeKey: keyOf(conflict), reason }]);
  expect(await tasksOf(backend.db.owner, claimed.id)).toEqual(['manual_reconciliation']);
  if (owner.id !== claimed.id) {
    expect(await casesOf(backend.db.owner, owner.id)).toEqual([]);
    expect(await tasksOf(backend.db.owner, owner.id)).toEqual([]);
  }
}

describe('B1 to B3 one owner', () => {
  it.each([
    { type: 'order.created', paymentStatus: 'pending', tasks: [] },
    { type: 'order.next_action', paymentStatus: 'pending', tasks: ['reconcile_session', 'reprocess_webhook'] },
    { type: 'order.failed', paymentStatus: 'pending', tasks: ['reconcile_session', 'reprocess_webhook'] },
    { type: 'order.succeeded', paymentStatus: 'paid', tasks: ['fulfill'] },
  ] as const)(
    'B1 first sight by $type: one attempt of this order and session, and its status counts',
    async ({ type, paymentStatus, tasks }) => {
      const order = await backend.checkout();
      const clinkOrderId = newClinkOrderId();
      await deliverAll(backend, word(type, order, clinkOrderId));
      const { attempts } = await snapshotOf(backend.db.owner, order.id);
      expect(attempts).toMatchObject([
        { clink_order_id: clinkOrderId, merchant_order_id: order.id, clink_session_id: order.sessionId },
      ]);
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus });
      expect(await tasksOf(backend.db.owner, order.id)).toEqual(tasks);
      expect(await casesOf(backend.db.owner, order.id)).toEqual([]);
    },
  );

  it.each(ORDER_EVENTS)('B2 %s again for the same owner, under its own and another id: nothing moves', async (type) => {
    const order = await attemptedOrder(backend);
    const event = word(type, order, order.clinkOrderId);
    await deliverAll(backend, event);
    const before = await snapshotOf(backend.db.owner, order.id);
    const again = word(type, order, order.clinkOrderId);
    await deliverAll(backend, event, again);
    expect(await snapshotOf(backend.db.owner, order.id)).toEqual(before);
    await expectProcessed(backend, event, again);
  });

  it.each(CONFLICTS.flatMap((conflict) => ORDER_EVENTS.map((type) => ({ ...conflict, type }))))(
    'B3 $type of a stored attempt $what: nothing of it changes',
    async ({ type, prepare }) => {
      const conflict = await prepare();
      await expectQuarantined(conflict, [conflict.event(type)]);
    },
  );
});

describe('B4 to B8 an attempt that another order or session owns', () => {
  /** What the case must show: who was named, who is the owner. */
  function evidenceOf({ owner, claimed }: Conflict, incoming: object) {
    return {
      incoming: { clinkOrderId: owner.clinkOrderId, ...incoming },
      storedMerchantOrder: { merchantOrderId: claimed.id, clinkSessionId: claimed.sessionId },
      storedAttempt: { merchantOrderId: owner.id, clinkSessionId: owner.sessionId, status: 'pending' },
    };
  }

  async function expectEvidence(conflict: Conflict, incoming: object): Promise<void> {
    const [filed] = await casesOf(backend.db.owner, conflict.claimed.id);
    expect(filed?.evidence).toMatchObject(evidenceOf(conflict, incoming));
  }

  it('B4 order.created for B of an attempt that A owns: A is untouched, B gets no pointer, one case', async () => {
    const conflict = await attemptOfAnotherOrder();
    const { owner, claimed } = conflict;
    await expectQuarantined(conflict, [conflict.event('order.created')]);
    await expectEvidence(conflict, { merchantOrderId: claimed.id, clinkSessionId: claimed.sessionId });
    expect(await storedAttempt(backend.db.owner, owner.clinkOrderId)).toMatchObject({
      merchantOrderId: owner.id,
      status: 'pending',
      attemptCreatedAt: T,
      lastEventCreated: T,
    });
    expect(await storedOrder(backend.db.owner, claimed.id)).toMatchObject({ currentClinkOrderId: null });
  });

  it.each(['order.next_action', 'order.failed', 'order.succeeded'] as const)(
    'B5 %s for B of an attempt that A owns: A is untouched, B gets nothing',
    async (type) => {
      const conflict = await attemptOfAnotherOrder();
      const { owner, claimed } = conflict;
      await expectQuarantined(conflict, [conflict.event(type)]);
      await expectEvidence(conflict, { merchantOrderId: claimed.id, clinkSessionId: claimed.sessionId });
      expect(await storedAttempt(backend.db.owner, owner.clinkOrderId)).toMatchObject({
        status: 'pending',
        attemptCreatedAt: T,
        failureCode: null,
        failureMessage: null,
      });
      expect(await storedOrder(backend.db.owner, claimed.id)).toMatchObject({
        paymentStatus: 'pending',
        fulfillmentStatus: 'none',
        currentClinkOrderId: null,
        refundablePaidClinkOrderId: null,
        refundablePaidAmount: null,
        refundablePaidCurrency: null,
      });
    },
  );

  it.each(ORDER_EVENTS)(
    'B6 %s with the right order and another session: a case, the attempt untouched',
    async (type) => {
      const conflict = await otherSession();
      await expectQuarantined(conflict, [conflict.event(type)]);
      await expectEvidence(conflict, { merchantOrderId: conflict.owner.id, clinkSessionId: 'sess_other' });
    },
  );

  it.each(ORDER_EVENTS)(
    'B7 %s with the right session and another order: a case, the attempt untouched',
    async (type) => {
      const conflict = await otherOrder();
      await expectQuarantined(conflict, [conflict.event(type)]);
      await expectEvidence(conflict, {
        merchantOrderId: conflict.claimed.id,
        clinkSessionId: conflict.owner.sessionId,
      });
    },
  );

  it.each(CONFLICTS)(
    'B8 a conflict $what, told again by the same and by other events: one case, one task',
    async ({ prepare }) => {
      const conflict = await prepare();
      const events = [...ORDER_EVENTS, 'order.created' as const].map(conflict.event);
      await expectQuarantined(conflict, [...events, ...events]);
      const [filed] = await casesOf(backend.db.owner, conflict.claimed.id);
      expect(filed?.evidence).toMatchObject({ eventId: events[0]?.id, eventType: 'order.created' });
      expect(await backend.runOnce('manual_reconciliation')).toBe(1);
      expect(await tasksOfEvent(backend.db.owner, events[0]?.id ?? '')).toMatchObject([
        { dedupeKey: `manual_reconciliation:${keyOf(conflict)}`, status: 'succeeded' },
      ]);
    },
  );
});

/** Holds an attempt's key, so that everybody who wants to insert it waits until the key turns out to be free. */
function keyOfAttempt(clinkOrderId: string) {
  return async (tx: Transaction) => {
    const nobody = await addOrder(backend.db.owner);
    await tx`
      INSERT INTO payment_attempts (clink_order_id, merchant_order_id, clink_session_id, status, last_event_created)
      VALUES (${clinkOrderId}, ${nobody}, 'sess_nobody', 'pending', 0)`;
  };
}

const OK = { statusCode: 200, body: 'ok' };

async function deliverAtOnce(clinkOrderId: string, events: readonly Body[]): Promise<void> {
  const deliveries = events.map((event) => () => backend.deliver(event));
  const answers = await collide(backend.db.owner, keyOfAttempt(clinkOrderId), deliveries);
  expect(answers).toEqual(events.map(() => OK));
}

describe('B9 to B11 first inserts at once', () => {
  /** Both orders claim a new attempt at once by events of this type; returns who won. */
  async function race(type: Kind) {
    const rivals = [await backend.checkout(), await backend.checkout()];
    const clinkOrderId = newClinkOrderId();
    const before = await Promise.all(rivals.map((rival) => stateOf(backend, rival)));
    const events = rivals.map((rival) => word(type, rival, clinkOrderId));
    await deliverAtOnce(clinkOrderId, events);

    const owner = (await storedAttempt(backend.db.owner, clinkOrderId))?.merchantOrderId;
    const place = rivals.findIndex(({ id }) => id === owner);
    const [winner, loser] = [rivals[place], rivals[1 - place]];
    const [won, lost] = [events[place], events[1 - place]];
    if (!winner || !loser || !won || !lost) throw new Error('nobody owns the attempt');
    return { clinkOrderId, winner, loser, won, lost, before: before[1 - place] };
  }

  it.each(ORDER_EVENTS)(
    'B9 %s of A and of B at once: the key chooses one, the other is a case and acknowledged',
    async (type) => {
      const { clinkOrderId, winner, loser, won, lost, before } = await race(type);
      expect(await stateOf(backend, loser)).toEqual(before);
      expect(await casesOf(backend.db.owner, loser.id)).toMatchObject([
        {
          dedupeKey: `order_ownership_conflict:${loser.id}:${clinkOrderId}`,
          reason: 'payment_attempt_ownership_conflict',
          evidence: {
            incoming: { merchantOrderId: loser.id, clinkSessionId: loser.sessionId },
            storedAttempt: { merchantOrderId: winner.id, clinkSessionId: winner.sessionId },
          },
        },
      ]);
      expect(await tasksOf(backend.db.owner, loser.id)).toEqual(['manual_reconciliation']);
      await expectProcessed(backend, lost);

      expect(await casesOf(backend.db.owner, winner.id)).toEqual([]);
      expect(await tasksOf(backend.db.owner, winner.id)).not.toContain('manual_reconciliation');
      const isPaid = type === 'order.succeeded';
      expect(await storedOrder(backend.db.owner, winner.id)).toMatchObject({
        paymentStatus: isPaid ? 'paid' : 'pending',
        refundablePaidClinkOrderId: isPaid ? clinkOrderId : null,
      });
      const waits = type === 'order.next_action' || type === 'order.failed';
      expect(await eventStatus(backend.db.owner, won.id)).toBe(waits ? 'pending' : 'processed');
    },
  );

  it.each(
    [
      { first: 'order.created', second: 'order.next_action', paymentStatus: 'action_required' },
      { first: 'order.created', second: 'order.failed', paymentStatus: 'payment_failed' },
      { first: 'order.created', second: 'order.succeeded', paymentStatus: 'paid' },
      { first: 'order.next_action', second: 'order.succeeded', paymentStatus: 'paid' },
      { first: 'order.failed', second: 'order.succeeded', paymentStatus: 'paid' },
    ].flatMap((row) => [
      { ...row, order: 'in this order', turned: false },
      { ...row, order: 'the other way round', turned: true },
    ]) as readonly { first: Kind; second: Kind; paymentStatus: string; order: string; turned: boolean }[],
  )(
    'B10 $first and $second of one attempt insert it at once, $order: no case, and $paymentStatus',
    async ({ first, second, paymentStatus, turned }) => {
      const order = { ...(await backend.checkout()), clinkOrderId: newClinkOrderId() };
      const { clinkOrderId } = order;
      const events = [
        orderBody(first, order, clinkOrderId, { created: T }),
        orderBody(second, order, clinkOrderId, { created: T + 1000 }),
      ];
      await deliverAtOnce(clinkOrderId, turned ? events.toReversed() : events);

      await clinkOrderIs(backend, order, 'success');
      await sessionNames(backend, order, clinkOrderId);
      await runToTheEnd(backend, order);
      await expectProcessed(backend, ...events);
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus });
      expect(await storedAttempt(backend.db.owner, clinkOrderId)).toMatchObject({
        merchantOrderId: order.id,
        attemptCreatedAt: first === 'order.created' ? T : null,
      });
      expect(await casesOf(backend.db.owner, order.id)).toEqual([]);
      expect(deliveriesOf(backend, order)).toHaveLength(paymentStatus === 'paid' ? 1 : 0);
    },
  );

  it('B11 the winner goes on to be paid and delivered, without a lock on the loser or a change to it', async () => {
    const { clinkOrderId, winner, loser } = await race('order.created');
    const before = await snapshotOf(backend.db.owner, loser.id);
    await backend.db.owner.begin(async (tx) => {
      await tx`SELECT FROM merchant_orders WHERE id = ${loser.id} FOR UPDATE`;
      await deliverAll(
        backend,
        word('order.next_action', winner, clinkOrderId, { created: T + 3000 }),
        word('order.succeeded', winner, clinkOrderId, { created: T + 4000 }),
      );
    });
    expect(await snapshotOf(backend.db.owner, loser.id)).toEqual(before);
    await runToTheEnd(backend, winner);
    expect(await storedOrder(backend.db.owner, winner.id)).toMatchObject({
      paymentStatus: 'paid',
      fulfillmentStatus: 'fulfilled',
      refundablePaidClinkOrderId: clinkOrderId,
    });
    expect(deliveriesOf(backend, loser)).toEqual([]);
  });
});

describe('B12 and B13 what a conflict must not bring', () => {
  const MONEY = { amountTotal: 5, paymentCurrency: 'EUR' };

  it('B12 a success for unpaid B of the attempt that paid A: B gets no basis, A keeps its own', async () => {
    const [owner, claimed] = [await paidOrder(backend), await backend.checkout()];
    const before = await snapshotOf(backend.db.owner, owner.id);
    await deliverAll(backend, word('order.succeeded', claimed, owner.clinkOrderId, MONEY));
    expect(await snapshotOf(backend.db.owner, owner.id)).toEqual(before);
    expect(await storedOrder(backend.db.owner, claimed.id)).toMatchObject({
      paymentStatus: 'pending',
      refundablePaidClinkOrderId: null,
      refundablePaidAmount: null,
      refundablePaidCurrency: null,
    });
  });

  it('B12 a success for paid B of the attempt that paid A: both keep their own basis', async () => {
    const [owner, claimed] = [await paidOrder(backend), await paidOrder(backend, { amountTotal: 7 })];
    const before = [await stateOf(backend, owner), await stateOf(backend, claimed)];
    await deliverAll(backend, word('order.succeeded', claimed, owner.clinkOrderId, MONEY));
    expect([await stateOf(backend, owner), await stateOf(backend, claimed)]).toEqual(before);
    expect(await storedOrder(backend.db.owner, claimed.id)).toMatchObject({
      refundablePaidClinkOrderId: claimed.clinkOrderId,
      refundablePaidAmount: '7',
      refundablePaidCurrency: 'USD',
    });
  });

  it.each(CONFLICTS.flatMap((conflict) => ORDER_EVENTS.map((type) => ({ ...conflict, type }))))(
    'B13 $type of an attempt $what: no fulfilment, no question about a session or a refund',
    async ({ type, prepare }) => {
      const conflict = await prepare();
      const event = conflict.event(type);
      await deliverAll(backend, event);
      await backend.runDue();
      expect(await tasksOfEvent(backend.db.owner, event.id)).toMatchObject([
        { task: 'manual_reconciliation', status: 'succeeded' },
      ]);
      for (const order of [conflict.owner, conflict.claimed]) {
        expect(deliveriesOf(backend, order)).toEqual([]);
        expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ fulfillmentStatus: 'none' });
      }
    },
  );
});

describe('B14 a failure while a review is written', () => {
  const WRITES = [
    { what: 'its case', trigger: 'BEFORE INSERT ON reconciliation_cases' },
    { what: 'its task', trigger: 'BEFORE INSERT ON outbox' },
    { what: 'the mark of its event', trigger: 'BEFORE INSERT OR UPDATE OF status ON webhook_events' },
    { what: 'its journal', trigger: 'BEFORE INSERT ON order_journal' },
  ].map((row) => ({ ...row, create: `TRIGGER refuse ${row.trigger}` }));
  const COMMIT = {
    what: 'its commit',
    create: 'CONSTRAINT TRIGGER refuse AFTER INSERT ON reconciliation_cases DEFERRABLE INITIALLY DEFERRED',
  };

  /** Runs `work` while the database refuses one kind of write. */
  async function whileRefused(create: string, work: () => Promise<void>): Promise<void> {
    const { owner } = backend.db;
    await owner.unsafe(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
      CREATE ${create} FOR EACH ROW EXECUTE FUNCTION refuse()`);
    try {
      await work();
    } finally {
      await owner`DROP FUNCTION refuse CASCADE`;
    }
  }

  it.each([...WRITES, COMMIT])(
    'B14 of a second payment, at $what: attempt, case, task and event all roll back',
    async ({ create }) => {
      const order = await paidOrder(backend);
      const second = newClinkOrderId();
      const event = word('order.succeeded', order, second);
      const before = await snapshotOf(backend.db.owner, order.id);
      await whileRefused(create, async () => {
        expect(await backend.deliver(event)).toEqual({ statusCode: 500, body: 'retry later' });
      });
      expect(await snapshotOf(backend.db.owner, order.id)).toEqual(before);
      expect(await storedAttempt(backend.db.owner, second)).toBeUndefined();
      expect(await eventStatus(backend.db.owner, event.id)).toBeUndefined();
      expect(await lastReason(backend, order)).toBe('attempt_advanced');

      await deliverAll(backend, event);
      expect(await storedAttempt(backend.db.owner, second)).toMatchObject({ status: 'succeeded' });
      expect(await casesOf(backend.db.owner, order.id)).toHaveLength(1);
      expect(await tasksOf(backend.db.owner, order.id)).toEqual(['fulfill', 'manual_reconciliation']);
      await expectProcessed(backend, event);
    },
  );

  it.each([...WRITES, COMMIT])(
    'B14 of an event that had waited, at $what: it waits on, unmarked',
    async ({ create }) => {
      const conflict = await attemptOfAnotherOrder();
      const { claimed } = conflict;
      await backend.db.owner`UPDATE merchant_orders SET clink_session_id = NULL WHERE id = ${claimed.id}`;
      const event = conflict.event('order.succeeded');
      await deliverAll(backend, event);
      await backend.db
        .owner`UPDATE merchant_orders SET clink_session_id = ${claimed.sessionId} WHERE id = ${claimed.id}`;
      await whileRefused(create, async () => void (await backend.runOnce('reprocess_webhook')));
      expect(await eventStatus(backend.db.owner, event.id)).toBe('pending');
      expect(await casesOf(backend.db.owner, claimed.id)).toEqual([]);
      expect(await tasksOfEvent(backend.db.owner, event.id)).toMatchObject([{ task: 'reprocess_webhook', attempt: 1 }]);

      await backend.passBackoff();
      await backend.runOnce('reprocess_webhook');
      await expectProcessed(backend, event);
      expect(await casesOf(backend.db.owner, claimed.id)).toHaveLength(1);
      expect(await tasksOf(backend.db.owner, claimed.id)).toContain('manual_reconciliation');
    },
  );
});

describe('B15 a review task that is run twice', () => {
  const interruptions = [
    {
      what: 'because the alert did not get through',
      statuses: [204, 500],
      paths: ['/cases', '/alerts', '/cases', '/alerts'],
      interrupt: () => backend.passBackoff(),
    },
    {
      what: 'because the desk did not answer in time',
      statuses: [503],
      paths: ['/cases', '/cases', '/alerts'],
      interrupt: () => backend.passBackoff(),
    },
    {
      what: 'because its worker died before it could say that it was done',
      statuses: [],
      paths: ['/cases', '/alerts', '/cases', '/alerts'],
      interrupt: async () => {
        await backend.db.owner`
          UPDATE outbox SET status = 'processing', claim_token = 'dead', started_at = now() - interval '10 minutes',
                            lease_until = now() - interval '5 minutes'
          WHERE task = 'manual_reconciliation'`;
      },
    },
  ];
  it.each(interruptions)(
    'B15 $what: one ticket and one alert by their keys',
    async ({ statuses, paths, interrupt }) => {
      const conflict = await attemptOfAnotherOrder();
      await deliverAll(backend, conflict.event('order.succeeded'));
      const seen = backend.merchant.calls.length;
      backend.merchant.statuses.push(...statuses);
      expect(await backend.runOnce('manual_reconciliation')).toBe(1);
      await interrupt();
      expect(await backend.runOnce('manual_reconciliation')).toBe(1);

      const calls = backend.merchant.calls.slice(seen);
      expect(calls.map(({ path }) => path)).toEqual(paths);
      expect(new Set(calls.map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set([keyOf(conflict)]));
      expect(await casesOf(backend.db.owner, conflict.claimed.id)).toMatchObject([{ status: 'open' }]);
      expect((await snapshotOf(backend.db.owner, conflict.claimed.id)).tasks).toMatchObject([{ status: 'succeeded' }]);
    },
  );

  it('B15 after a person has settled the case: it stays settled', async () => {
    const conflict = await attemptOfAnotherOrder();
    await deliverAll(backend, conflict.event('order.failed'));
    await backend.db.owner`UPDATE reconciliation_cases SET status = 'resolved' WHERE dedupe_key = ${keyOf(conflict)}`;
    await backend.runOnce('manual_reconciliation');
    expect(await casesOf(backend.db.owner, conflict.claimed.id)).toMatchObject([{ status: 'resolved' }]);
  });
});
