import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Money } from '../../functions/decisions/money.ts';
import { type Backend, startBackend } from '../support/backend.ts';
import { T } from '../support/clink-events.ts';
import { collide, orderLocks, untilBlocked } from '../support/collision.ts';
import {
  type Attempted,
  attemptedOrder,
  clinkOrderIs,
  deliverAll,
  newClinkOrderId,
  newRefundId,
  type Payment,
  paidOrder,
  succeeded,
} from '../support/payments.ts';
import { reasonsOf, type StoredTask, snapshotOf, tasksOfEvent } from '../support/snapshot.ts';
import { casesOf, eventStatus, refundsOf, storedOrder, tasksOf } from '../support/stored.ts';
import { type Body, orderBody, refundBody } from '../support/webhooks.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await startBackend();
});
afterEach(async () => {
  await backend.db.owner`DELETE FROM outbox`;
  backend.merchant.calls.length = 0;
});
afterAll(() => backend.close());

const OK = { statusCode: 200, body: 'ok' };

function refundOf({ clinkOrderId }: Attempted, amount: unknown, fields: Record<string, unknown> = {}): Body {
  return refundBody(clinkOrderId, newRefundId(), amount, fields);
}

const refundIdOf = (event: Body) => String(event.data.object.refundId);

/** What the merchant's policy was told about the order, call by call. */
function toldAbout(order: Attempted) {
  const calls = backend.merchant.calls.filter(({ path }) => path === '/refund-policy');
  return calls.map(({ data }) => data).filter(({ merchantOrderId }) => merchantOrderId === order.id);
}

/** The same in one line for each call, whatever zeros an amount ends in. */
function toldAmounts(order: Attempted): string[] {
  return toldAbout(order).map(
    ({ orderStatus, refundedAmount, paymentCurrency }) =>
      `${orderStatus} ${new Money(String(refundedAmount)).toFixed()} ${paymentCurrency}`,
  );
}

async function policyTasksOf(order: Attempted): Promise<StoredTask[]> {
  return backend.db.owner<StoredTask[]>`
    SELECT id, task, status, attempt, payload, dedupe_key FROM outbox
    WHERE order_id = ${order.id} AND task = 'apply_refund_policy' ORDER BY id`;
}

/** Holds that these refunds, all of them and nothing else, are booked on the order. */
async function expectBooked(order: Attempted, refunds: Readonly<Record<string, string>>, total: string): Promise<void> {
  const booked = (await refundsOf(backend.db.owner, order.id)).map(({ refundId, amount }) => [refundId, amount]);
  expect(Object.fromEntries(booked)).toEqual(refunds);
  expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ refundedAmount: total });
}

/** Delivers an event twice, under two ids, and holds that it booked nothing and made one case with one task. */
async function expectOneCase(order: Attempted, event: Body, expected: { reason: string; evidence?: object }) {
  const before = await snapshotOf(backend.db.owner, order.id);
  const again = { ...event, id: `${event.id}_again` };
  await deliverAll(backend, event, again);

  const after = await snapshotOf(backend.db.owner, order.id);
  expect({ ...after, cases: [], tasks: [] }).toEqual({ ...before, cases: [], tasks: [] });
  const dedupeKey = `refund_conflict:${event.data.object.refundId}`;
  const added = (await casesOf(backend.db.owner, order.id)).slice(before.cases.length);
  expect(added).toMatchObject([{ dedupeKey, ...expected }]);
  expect((await tasksOf(backend.db.owner, order.id)).slice(before.tasks.length)).toEqual(['manual_reconciliation']);
  for (const { id } of [event, again]) expect(await eventStatus(backend.db.owner, id)).toBe('processed');
}

/** Tries a waiting event until its task is given up; the page that follows is left to the test. */
async function giveUp(event: Body): Promise<void> {
  for (let attempt = 1; attempt <= 12; attempt += 1) {
    await backend.passBackoff();
    expect(await backend.runOnce('reprocess_webhook')).toBe(1);
  }
  expect(await tasksOfEvent(backend.db.owner, event.id)).toMatchObject([
    { task: 'reprocess_webhook', status: 'failed', attempt: 12 },
    { task: 'page_outbox_failure', status: 'pending', attempt: 0 },
  ]);
}

/** How an order that has a refund waiting comes to its payment. */
const PAYMENTS: readonly (readonly [string, (order: Attempted) => Promise<void>])[] = [
  ['created, then succeeded', (order) => deliverAll(backend, created(order), succeeded(order))],
  ['succeeded alone', (order) => deliverAll(backend, succeeded(order))],
  ['succeeded, then created', (order) => deliverAll(backend, succeeded(order), created(order))],
  [
    'the answer of an order query',
    async (order) => {
      await deliverAll(backend, created(order), ...tiedEvents(order));
      await backend.runOnce('reconcile_attempt');
    },
  ],
];

const created = (order: Attempted) => orderBody('order.created', order, order.clinkOrderId, { created: T });

/** Two statuses of one millisecond, which only Clink's order query can settle. */
function tiedEvents(order: Attempted): Body[] {
  const types = ['order.failed', 'order.next_action'] as const;
  return types.map((type) => orderBody(type, order, order.clinkOrderId, { created: T + 1000 }));
}

/** An order of ours that Clink has sent nothing about. */
async function silentOrder(): Promise<Attempted> {
  return { ...(await backend.checkout()), clinkOrderId: newClinkOrderId() };
}

describe('F refunds', () => {
  it.each(PAYMENTS)('F1 refund before its payment, which comes as %s: waits, then is booked', async (_how, pay) => {
    const order = await silentOrder();
    await clinkOrderIs(backend, order, 'partial_refunded');
    const refund = refundOf(order, 5);
    await deliverAll(backend, refund);
    expect(await reasonsOf(backend.db.owner, refund.id)).toEqual(['attempt_missing']);
    expect(await eventStatus(backend.db.owner, refund.id)).toBe('pending');
    await backend.runOnce('reprocess_webhook');
    expect(await tasksOfEvent(backend.db.owner, refund.id)).toMatchObject([
      { task: 'reprocess_webhook', status: 'pending', attempt: 1 },
    ]);
    await expectBooked(order, {}, '0');

    await pay(order);
    await backend.runDue();
    expect(await eventStatus(backend.db.owner, refund.id)).toBe('processed');
    await expectBooked(order, { [refundIdOf(refund)]: '5' }, '5');
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'partial_refunded' });
    expect(toldAmounts(order)).toEqual(['partial_refunded 5 USD']);
  });

  it('F1 refund of an attempt that has not succeeded yet: waits for the basis', async () => {
    const order = await attemptedOrder(backend);
    const refund = refundOf(order, 5);
    await deliverAll(backend, refund);
    expect(await reasonsOf(backend.db.owner, refund.id)).toEqual(['refund_basis_missing']);
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['reprocess_webhook']);

    await deliverAll(backend, succeeded(order));
    await backend.runDue();
    await expectBooked(order, { [refundIdOf(refund)]: '5' }, '5');
    expect(await eventStatus(backend.db.owner, refund.id)).toBe('processed');
  });

  it.each(PAYMENTS)('F1 refund given up for good, then the payment comes as %s: it heals', async (_how, pay) => {
    const order = await silentOrder();
    await clinkOrderIs(backend, order, 'partial_refunded');
    const refund = refundOf(order, 5);
    await deliverAll(backend, refund);
    await giveUp(refund);

    await pay(order);
    await backend.runDue();
    expect(await eventStatus(backend.db.owner, refund.id)).toBe('processed');
    await expectBooked(order, { [refundIdOf(refund)]: '5' }, '5');
    expect((await tasksOfEvent(backend.db.owner, refund.id))[0]).toMatchObject({ status: 'succeeded' });
    expect(toldAmounts(order)).toEqual(['partial_refunded 5 USD']);
  });

  it('F1 the payment comes while the refund is being looked at: it is looked at again at once', async () => {
    const order = await silentOrder();
    const refund = refundOf(order, 5);
    await deliverAll(backend, refund);
    let paying: Promise<unknown> | undefined;
    await collide(
      backend.db.owner,
      (tx) => tx`SELECT FROM webhook_events WHERE id = ${refund.id} FOR UPDATE`,
      [() => backend.runOnce('reprocess_webhook')],
      () => {
        paying = deliverAll(backend, created(order), succeeded(order));
        return untilBlocked(backend.db.owner, 2);
      },
    );
    await paying;
    expect(await reasonsOf(backend.db.owner, refund.id)).toEqual(['attempt_missing', 'attempt_missing']);

    await backend.runOnce('reprocess_webhook');
    await expectBooked(order, { [refundIdOf(refund)]: '5' }, '5');
    expect(await eventStatus(backend.db.owner, refund.id)).toBe('processed');
  });

  it('F1 refund and success at once: booked once, whoever is first', async () => {
    const order = await attemptedOrder(backend);
    const refund = refundOf(order, 5);
    const deliveries = [refund, succeeded(order)].map((event) => () => backend.deliver(event));
    expect(await collide(backend.db.owner, orderLocks(order.id), deliveries)).toEqual([OK, OK]);
    await backend.runDue();
    await expectBooked(order, { [refundIdOf(refund)]: '5' }, '5');
    expect(await eventStatus(backend.db.owner, refund.id)).toBe('processed');
  });

  it('F2 success, then refund: checked against the basis and reconciled', async () => {
    const order = await paidOrder(backend);
    const basis = {
      refundablePaidClinkOrderId: order.clinkOrderId,
      refundablePaidAmount: '19.99',
      refundablePaidCurrency: 'USD',
    };
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject(basis);
    await clinkOrderIs(backend, order, 'partial_refunded');
    const refund = refundOf(order, 5, { refundCurrency: 'usd' });
    await deliverAll(backend, refund);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ ...basis, paymentStatus: 'paid' });

    await backend.runDue();
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      ...basis,
      paymentStatus: 'partial_refunded',
      refundedAmount: '5',
      fulfillmentStatus: 'fulfilled',
    });
    expect(await refundsOf(backend.db.owner, order.id)).toEqual([
      {
        refundId: refundIdOf(refund),
        amount: '5',
        currency: 'USD',
        clinkOrderId: order.clinkOrderId,
        firstEventId: refund.id,
      },
    ]);
  });

  it.each([
    ['USD', 19.99, 5, '5'],
    ['JPY', 1999, 1999, '1999'],
    ['KWD', '1.234', '0.250', '0.25'],
  ])(
    'F2 the merchant is told a refund in %s as plainly as it is told a payment',
    async (currency, paid, amount, told) => {
      const payment = { amountTotal: paid, paymentCurrency: currency };
      const order = await paidOrder(backend, payment);
      await clinkOrderIs(backend, order, paid === amount ? 'refunded' : 'partial_refunded', payment);
      await deliverAll(backend, refundOf(order, amount, { refundCurrency: currency }));
      await backend.runDue();
      expect(toldAbout(order)).toMatchObject([{ refundedAmount: told, paymentCurrency: currency }]);
    },
  );

  it.each([
    ['success', 'partial_refunded', 5, '5'],
    ['refunded', 'refunded', 19.99, '19.99'],
  ])('F3 basis from an order query that says %s, then the refund: %s', async (answered, status, amount, total) => {
    const order = await attemptedOrder(backend);
    await clinkOrderIs(backend, order, answered);
    await deliverAll(backend, ...tiedEvents(order));
    await backend.runDue();
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      refundablePaidClinkOrderId: order.clinkOrderId,
      refundablePaidAmount: '19.99',
      refundablePaidCurrency: 'USD',
    });

    await clinkOrderIs(backend, order, status);
    const refund = refundOf(order, amount);
    await deliverAll(backend, refund);
    await backend.runDue();
    await expectBooked(order, { [refundIdOf(refund)]: total }, total);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: status });
    expect(toldAmounts(order)).toEqual([`${status} ${total} USD`]);
    expect(await casesOf(backend.db.owner, order.id)).toEqual([]);
  });

  it('F4 this refund is in another currency: a case, the basis stays', async () => {
    const order = await paidOrder(backend);
    await expectOneCase(order, refundOf(order, 5, { refundCurrency: 'EUR' }), {
      reason: 'refund_order_or_currency_conflict',
      evidence: { storedBasis: { currency: 'USD' }, incomingRefund: { amount: '5', currency: 'EUR' } },
    });
  });

  it('F4 a stored refund is in another currency: a case before anything is summed', async () => {
    const order = await paidOrder(backend);
    const { owner } = backend.db;
    const stored = { refundId: newRefundId(), amount: '5', currency: 'EUR' };
    await owner`INSERT INTO refunds ${owner({
      ...stored,
      merchantOrderId: order.id,
      clinkOrderId: order.clinkOrderId,
      firstEventId: 'event_before',
    })}`;
    await expectOneCase(order, refundOf(order, 3), {
      reason: 'stored_successful_refund_conflict',
      evidence: { storedBasis: { currency: 'USD' }, conflictingRefund: { refundId: stored.refundId, currency: 'EUR' } },
    });
  });

  describe('F5 one delivery three times', () => {
    it.each(['one after the other', 'at once'])('F5 %s: one refund, counted once', async (how) => {
      const order = await paidOrder(backend);
      const refund = refundOf(order, 5);
      if (how === 'at once') {
        const deliveries = Array.from({ length: 3 }, () => () => backend.deliver(refund));
        expect(await collide(backend.db.owner, orderLocks(order.id), deliveries)).toEqual([OK, OK, OK]);
      } else {
        await deliverAll(backend, refund, refund, refund);
      }
      await expectBooked(order, { [refundIdOf(refund)]: '5' }, '5');
      expect(await tasksOf(backend.db.owner, order.id)).toEqual(['fulfill', 'refund_reconcile']);
      expect(await reasonsOf(backend.db.owner, refund.id)).toEqual(['refund_booked']);
    });
  });

  it.each([
    ['the same number', 5, 'USD'],
    ['the same amount as text', '5.00', 'USD'],
    ['the currency in other letters', 5, ' usd '],
  ])(
    'F6 the same refund under another event id, %s: the first row is reused',
    async (_what, amount, refundCurrency) => {
      const order = await paidOrder(backend);
      await clinkOrderIs(backend, order, 'partial_refunded');
      const refund = refundOf(order, 5);
      await deliverAll(backend, refund);
      await backend.runDue();
      const before = await snapshotOf(backend.db.owner, order.id);

      const again = refundBody(order.clinkOrderId, refundIdOf(refund), amount, { refundCurrency });
      await deliverAll(backend, again);
      expect(await snapshotOf(backend.db.owner, order.id)).toEqual(before);
      expect(await reasonsOf(backend.db.owner, again.id)).toEqual(['refund_repeated']);
      expect(await eventStatus(backend.db.owner, again.id)).toBe('processed');
      expect(toldAmounts(order)).toEqual(['partial_refunded 5 USD']);
    },
  );

  it('F6 the same refund under two event ids at once: one row, counted once, asked about once', async () => {
    const order = await paidOrder(backend);
    const refund = refundOf(order, 5);
    const events = [refund, { ...refund, id: `${refund.id}_again` }];
    const deliveries = events.map((event) => () => backend.deliver(event));
    expect(await collide(backend.db.owner, orderLocks(order.id), deliveries)).toEqual([OK, OK]);
    await expectBooked(order, { [refundIdOf(refund)]: '5' }, '5');
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['fulfill', 'refund_reconcile']);
    for (const { id } of events) expect(await eventStatus(backend.db.owner, id)).toBe('processed');
  });

  describe('F7 the same refund id with other fields', () => {
    const conflict = { reason: 'refund_id_immutable_fields_conflict' };
    async function orderWithRefund() {
      const order = await paidOrder(backend);
      const refund = refundOf(order, 5);
      await deliverAll(backend, refund);
      return {
        order,
        refundId: refundIdOf(refund),
        stored: { refundId: refundIdOf(refund), amount: expect.stringMatching(/^5(\.0+)?$/) },
      };
    }

    it.each([
      ['amount', 6, { refundCurrency: 'USD' }, { amount: '6', currency: 'USD' }],
      ['currency', 5, { refundCurrency: 'EUR' }, { amount: '5', currency: 'EUR' }],
    ])('F7 another %s: the first row stays, one case with both', async (_field, amount, fields, incomingRefund) => {
      const { order, refundId, stored } = await orderWithRefund();
      const evidence = { storedRefund: stored, incomingRefund: { refundId, ...incomingRefund } };
      await expectOneCase(order, refundBody(order.clinkOrderId, refundId, amount, fields), { ...conflict, evidence });
    });

    it('F7 another attempt of the same order: the first row stays, one case with both', async () => {
      const { order, refundId, stored } = await orderWithRefund();
      const other = { ...order, clinkOrderId: newClinkOrderId() };
      await deliverAll(backend, orderBody('order.created', order, other.clinkOrderId, { created: T - 1000 }));
      await expectOneCase(order, refundBody(other.clinkOrderId, refundId, 5), {
        ...conflict,
        evidence: {
          storedRefund: { ...stored, clinkOrderId: order.clinkOrderId },
          incomingRefund: { refundId, clinkOrderId: other.clinkOrderId },
        },
      });
    });

    it('F7 an attempt of another order: neither order moves, one case with both', async () => {
      const { order, refundId, stored } = await orderWithRefund();
      const other = await paidOrder(backend);
      const before = await snapshotOf(backend.db.owner, order.id);
      await expectOneCase(other, refundBody(other.clinkOrderId, refundId, 5), {
        ...conflict,
        evidence: {
          storedRefund: { ...stored, merchantOrderId: order.id },
          incomingRefund: { refundId, clinkOrderId: other.clinkOrderId },
        },
      });
      expect(await snapshotOf(backend.db.owner, order.id)).toEqual(before);
    });

    it('F7 one refund id under two orders at once: one row, one case', async () => {
      const [a, b, holder] = [await paidOrder(backend), await paidOrder(backend), await paidOrder(backend)];
      const refundId = newRefundId();
      const events = [a, b].map((order) => refundBody(order.clinkOrderId, refundId, 5));
      const key = {
        refundId,
        merchantOrderId: holder.id,
        clinkOrderId: holder.clinkOrderId,
        firstEventId: 'event_any',
      };
      const answers = await collide(
        backend.db.owner,
        (tx) => tx`INSERT INTO refunds ${tx({ ...key, amount: '1', currency: 'USD' })}`,
        events.map((event) => () => backend.deliver(event)),
      );
      expect(answers).toEqual([OK, OK]);

      const [winner, loser] = (await refundsOf(backend.db.owner, a.id)).length === 1 ? [a, b] : [b, a];
      await expectBooked(winner, { [refundId]: '5' }, '5');
      await expectBooked(loser, {}, '0');
      expect(await casesOf(backend.db.owner, winner.id)).toEqual([]);
      expect(await casesOf(backend.db.owner, loser.id)).toMatchObject([
        { dedupeKey: `refund_conflict:${refundId}`, ...conflict },
      ]);
      expect(await tasksOf(backend.db.owner, winner.id)).toEqual(['fulfill', 'refund_reconcile']);
      expect(await tasksOf(backend.db.owner, loser.id)).toEqual(['fulfill', 'manual_reconciliation']);
      for (const { id } of events) expect(await eventStatus(backend.db.owner, id)).toBe('processed');
    });
  });

  it.each([
    ['an unknown attempt', newClinkOrderId()],
    ['no attempt at all', null],
  ])('F8 a known refund id with %s: a case for the order it is stored under, not a wait', async (_what, unknown) => {
    const order = await paidOrder(backend);
    const refund = refundOf(order, 5);
    await deliverAll(backend, refund);
    const astray = refundBody(order.clinkOrderId, refundIdOf(refund), 5, { orderId: unknown });
    await expectOneCase(order, astray, {
      reason: 'refund_id_reused_with_missing_attempt',
      evidence: {
        storedRefund: { refundId: refundIdOf(refund), clinkOrderId: order.clinkOrderId },
        incomingRefund: { refundId: refundIdOf(refund), clinkOrderId: unknown },
      },
    });
    expect(await tasksOfEvent(backend.db.owner, astray.id)).toMatchObject([{ task: 'manual_reconciliation' }]);
  });

  describe('F9 an amount that is none', () => {
    it.each([
      ['zero', 0, {}],
      ['zero as text', '0.00', {}],
      ['a negative number', -5, {}],
      ['a negative one as text', '-5', {}],
      ['not a number', 'NaN', {}],
      ['infinite', 'Infinity', {}],
      ['negative infinite', '-Infinity', {}],
      ['absent', undefined, {}],
      ['null', null, {}],
      ['empty', '', {}],
      ['with a comma', '5,00', {}],
      ['hex', '0x10', {}],
      ['with an exponent as text', '1e3', {}],
      ['true', true, {}],
      ['an object', { value: 5 }, {}],
      ['larger than any column', 1e21, {}],
      ['finer than a cent', 1.999, {}],
      ['of no currency', 5, { refundCurrency: null }],
      ['of a malformed currency', 5, { refundCurrency: 'US' }],
    ])('F9 %s: one case, no refund', async (_what, amount, fields) => {
      const order = await paidOrder(backend);
      await expectOneCase(order, refundOf(order, amount, fields), { reason: 'invalid_refund_record' });
      expect(await tasksOf(backend.db.owner, order.id)).toEqual(['fulfill', 'manual_reconciliation']);
    });

    it.each([
      ['JPY', 1999, 0.5],
      ['IDR', 139659, 1.5],
      ['KWD', '1.234', '0.2345'],
    ])('F9 a refund finer than %s allows: one case, no refund', async (currency, amountTotal, amount) => {
      const order = await paidOrder(backend, { amountTotal, paymentCurrency: currency });
      await expectOneCase(order, refundOf(order, amount, { refundCurrency: currency }), {
        reason: 'invalid_refund_record',
        evidence: { incomingRefund: { amount: String(amount), currency } },
      });
    });

    it('F9 without a refund id: one case per event, no refund', async () => {
      const order = await paidOrder(backend);
      const event = refundOf(order, 5, { refundId: null });
      await deliverAll(backend, event, event);
      expect(await casesOf(backend.db.owner, order.id)).toMatchObject([
        { dedupeKey: `refund_conflict:event:${event.id}`, reason: 'invalid_refund_record' },
      ]);
      await expectBooked(order, {}, '0');
    });
  });

  it.each<[string, Payment, readonly (number | string)[], string, string]>([
    ['all at once', {}, [19.99], 'USD', '19.99'],
    ['in three parts', {}, [5, 10, 4.99], 'USD', '19.99'],
    ['where floating point would miss it', { amountTotal: 0.3 }, [0.1, 0.2], 'USD', '0.3'],
    ['in yen', { amountTotal: 1999, paymentCurrency: 'JPY' }, [999, 1000], 'JPY', '1999'],
    ['in rupiah', { amountTotal: 139659, paymentCurrency: 'IDR' }, ['139658', 1], 'IDR', '139659'],
    ['in thousandths of a dinar', { amountTotal: 1.234, paymentCurrency: 'KWD' }, [0.001, '1.233'], 'KWD', '1.234'],
  ])('F10 refunds equal the basis %s: refunded', async (_how, payment, amounts, currency, total) => {
    const order = await paidOrder(backend, payment);
    await clinkOrderIs(backend, order, 'refunded', payment);
    for (const amount of amounts) await deliverAll(backend, refundOf(order, amount, { refundCurrency: currency }));
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'paid',
      refundedAmount: total,
    });

    await backend.runDue();
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'refunded',
      refundablePaidAmount: total,
    });
    expect(await refundsOf(backend.db.owner, order.id)).toHaveLength(amounts.length);
    expect(toldAmounts(order)).toEqual(amounts.map(() => `refunded ${total} ${currency}`));
    expect(await casesOf(backend.db.owner, order.id)).toEqual([]);
  });

  it('F10 two refunds of one order at once: they add up exactly', async () => {
    const order = await paidOrder(backend);
    const refunds = [refundOf(order, 0.1), refundOf(order, 0.2)];
    const deliveries = refunds.map((event) => () => backend.deliver(event));
    expect(await collide(backend.db.owner, orderLocks(order.id), deliveries)).toEqual([OK, OK]);
    const [first, second] = refunds.map(refundIdOf);
    await expectBooked(order, { [first ?? '']: '0.1', [second ?? '']: '0.2' }, '0.3');
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['fulfill', 'refund_reconcile', 'refund_reconcile']);
  });

  const exceeds = { reason: 'refund_total_exceeds_payment_basis' };

  it.each([
    ['a single one', [], 20, '20'],
    ['the second of two', [15], 5, '20'],
    ['one cent after all is given back', [19.99], 0.01, '20'],
  ])('F11 refunds would pass the basis with %s: not stored, one case', async (_what, before, amount, wouldBe) => {
    const order = await paidOrder(backend);
    for (const earlier of before) await deliverAll(backend, refundOf(order, earlier));
    await expectOneCase(order, refundOf(order, amount), {
      ...exceeds,
      evidence: { wouldBe, incomingRefund: { amount: String(amount) } },
    });
  });

  it('F11 after a refund that would have passed the basis, one that fits is booked', async () => {
    const order = await paidOrder(backend);
    const fits = refundOf(order, 19.99);
    await deliverAll(backend, refundOf(order, 20), fits);
    await expectBooked(order, { [refundIdOf(fits)]: '19.99' }, '19.99');
  });

  it('F11 two refunds at once of which only one fits: one is booked, the other is a case', async () => {
    const order = await paidOrder(backend);
    const deliveries = [refundOf(order, 12), refundOf(order, 12)].map((event) => () => backend.deliver(event));
    expect(await collide(backend.db.owner, orderLocks(order.id), deliveries)).toEqual([OK, OK]);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ refundedAmount: '12' });
    expect(await refundsOf(backend.db.owner, order.id)).toHaveLength(1);
    expect(await casesOf(backend.db.owner, order.id)).toMatchObject([exceeds]);
  });

  it('F11 a paid total of zero: paid and delivered, and nothing can be refunded', async () => {
    const order = await paidOrder(backend, { amountTotal: 0 });
    await backend.runOnce('fulfill');
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({
      paymentStatus: 'paid',
      fulfillmentStatus: 'fulfilled',
      refundablePaidAmount: '0',
    });
    await expectOneCase(order, refundOf(order, 0.01), exceeds);
  });

  describe('F12 two partial refunds', () => {
    /** Refunds of 5 and then 2.5, each reconciled when it came, with both policy tasks still to run. */
    async function twicePartlyRefunded() {
      const order = await paidOrder(backend);
      await clinkOrderIs(backend, order, 'partial_refunded');
      const refunds = [refundOf(order, 5), refundOf(order, 2.5)];
      for (const refund of refunds) {
        await deliverAll(backend, refund);
        await backend.runOnce('refund_reconcile');
      }
      const tasks = await policyTasksOf(order);
      expect(tasks).toMatchObject([
        {
          dedupeKey: `apply_refund_policy:${refunds.map(refundIdOf)[0]}`,
          payload: { orderStatus: 'partial_refunded' },
        },
        {
          dedupeKey: `apply_refund_policy:${refunds.map(refundIdOf)[1]}`,
          payload: { orderStatus: 'partial_refunded' },
        },
      ]);
      await putOff(tasks);
      const [older, newer] = tasks;
      return { order, older, newer };
    }

    const putOff = (tasks: readonly StoredTask[]) =>
      backend.db.owner`
        UPDATE outbox SET next_retry_at = now() + interval '1 day' WHERE id = ANY(${tasks.map(({ id }) => id)})`;

    /** Runs one policy task now, whatever its backoff. */
    async function apply(task: StoredTask | undefined): Promise<void> {
      await backend.db.owner`UPDATE outbox SET next_retry_at = now() WHERE id = ${task?.id ?? 0}`;
      expect(await backend.runOnce('apply_refund_policy')).toBe(1);
    }

    async function expectApplied(order: Attempted, told: readonly string[]) {
      expect(toldAmounts(order)).toEqual(told);
      expect(await policyTasksOf(order)).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);
      expect(
        await backend.db.owner`
        SELECT trim_scale(applied_refund_amount) AS applied FROM merchant_orders WHERE id = ${order.id}`,
      ).toEqual([{ applied: '7.5' }]);
    }

    it('F12 policy tasks in their order: told 5, then 7.5', async () => {
      const { order, older, newer } = await twicePartlyRefunded();
      await apply(older);
      await apply(newer);
      await expectApplied(order, ['partial_refunded 5 USD', 'partial_refunded 7.5 USD']);
    });

    it('F12 policy tasks in the other order: told 7.5, and 5 never after it', async () => {
      const { order, older, newer } = await twicePartlyRefunded();
      await apply(newer);
      await apply(older);
      await expectApplied(order, ['partial_refunded 7.5 USD']);
    });

    it('F12 the newer call fails and may have arrived: the older is not told, the newer is told again', async () => {
      const { order, older, newer } = await twicePartlyRefunded();
      backend.merchant.statuses.push(500);
      await apply(newer);
      await apply(older);
      await apply(newer);
      await expectApplied(order, ['partial_refunded 7.5 USD', 'partial_refunded 7.5 USD']);
    });

    it.each(['older', 'newer'] as const)('F12 both at once, the %s first: one call at a time', async (first) => {
      const { order, older, newer } = await twicePartlyRefunded();
      const call = backend.merchant.hold();
      const running = apply(first === 'older' ? older : newer);
      await call.arrived;
      await apply(first === 'older' ? newer : older);
      expect(toldAmounts(order)).toHaveLength(1);
      call.release();
      await running;

      if (first === 'older') await apply(newer);
      await expectApplied(
        order,
        first === 'older' ? ['partial_refunded 5 USD', 'partial_refunded 7.5 USD'] : ['partial_refunded 7.5 USD'],
      );
    });

    it('F12 both booked before either is reconciled: each task carries the total as it is by then', async () => {
      const order = await paidOrder(backend);
      await clinkOrderIs(backend, order, 'partial_refunded');
      const refunds = [refundOf(order, 5), refundOf(order, 2.5)];
      await deliverAll(backend, ...refunds);
      await backend.runOnce('refund_reconcile');
      const carried = (await policyTasksOf(order)).map(({ payload }) => payload);
      expect(carried).toEqual(
        refunds.map((refund) => ({
          refundId: refundIdOf(refund),
          orderStatus: 'partial_refunded',
          refundedAmount: expect.stringMatching(/^7\.50*$/),
          paymentCurrency: 'USD',
        })),
      );
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'partial_refunded' });
    });
  });

  describe('F13 the answer lags behind', () => {
    const reconcileTasksOf = (order: Attempted) => backend.db.owner<StoredTask[]>`
      SELECT task, status, attempt FROM outbox WHERE order_id = ${order.id} AND task = 'refund_reconcile' ORDER BY id`;

    /** Tries again and holds that nothing is settled yet. */
    async function expectRetry(order: Attempted, refund: Body, attempt: number, paymentStatus: string, reason: string) {
      await backend.passBackoff();
      await backend.runOnce('refund_reconcile');
      expect((await reconcileTasksOf(order)).at(-1)).toMatchObject({ status: 'pending', attempt });
      expect((await reasonsOf(backend.db.owner, refund.id)).at(-1)).toBe(reason);
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus });
    }

    it('F13 the last part after a first one, still partial_refunded at Clink: retried until refunded', async () => {
      const order = await paidOrder(backend);
      await clinkOrderIs(backend, order, 'partial_refunded');
      await deliverAll(backend, refundOf(order, 5));
      await backend.runDue();
      const last = refundOf(order, 14.99);
      await deliverAll(backend, last);
      await expectRetry(order, last, 1, 'partial_refunded', 'refund_status_behind');
      await expectRetry(order, last, 2, 'partial_refunded', 'refund_status_behind');

      await clinkOrderIs(backend, order, 'refunded');
      await backend.passBackoff();
      await backend.runDue();
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'refunded' });
      expect(toldAmounts(order)).toEqual(['partial_refunded 5 USD', 'refunded 19.99 USD']);
    });

    it('F13 a first refund, still success at Clink: retried until partial_refunded', async () => {
      const order = await paidOrder(backend);
      await clinkOrderIs(backend, order, 'success');
      const refund = refundOf(order, 5);
      await deliverAll(backend, refund);
      await expectRetry(order, refund, 1, 'paid', 'order_not_settled');
      await expectRetry(order, refund, 2, 'paid', 'order_not_settled');
      expect(toldAmounts(order)).toEqual([]);

      await clinkOrderIs(backend, order, 'partial_refunded');
      await backend.passBackoff();
      await backend.runDue();
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'partial_refunded' });
      expect(toldAmounts(order)).toEqual(['partial_refunded 5 USD']);
    });

    it('F13 the first part is asked for only after the last one is booked: it waits for refunded too', async () => {
      const order = await paidOrder(backend);
      await clinkOrderIs(backend, order, 'partial_refunded');
      const [first, last] = [refundOf(order, 5), refundOf(order, 14.99)];
      await deliverAll(backend, first, last);
      await expectRetry(order, first, 1, 'paid', 'refund_status_behind');
      await clinkOrderIs(backend, order, 'refunded');
      await backend.passBackoff();
      await backend.runDue();
      expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'refunded' });
      expect(new Set(toldAmounts(order))).toEqual(new Set(['refunded 19.99 USD']));
    });
  });

  it('F14 the dependency never comes: given up with a page, and never processed', async () => {
    const refund = refundBody(newClinkOrderId(), newRefundId(), 5);
    await deliverAll(backend, refund);
    await giveUp(refund);
    expect(await eventStatus(backend.db.owner, refund.id)).toBe('pending');
    const [failed, page] = await tasksOfEvent(backend.db.owner, refund.id);
    expect(page?.payload).toEqual({
      failedTaskId: failed?.id,
      failedTask: 'reprocess_webhook',
      errorName: 'StillWaiting',
      errorCode: 'attempt_missing',
    });

    expect(await backend.runDue()).toEqual(['page_outbox_failure']);
    expect(backend.merchant.calls).toMatchObject([
      { path: '/alerts', idempotencyKey: `outbox_failure_alert:${failed?.id}` },
    ]);
    expect(await eventStatus(backend.db.owner, refund.id)).toBe('pending');
  });

  it('F14 the page has gone out, then the dependency comes after all: the refund is booked', async () => {
    const order = await silentOrder();
    const refund = refundOf(order, 5);
    await deliverAll(backend, refund);
    await giveUp(refund);
    await backend.runOnce('page_outbox_failure');

    await deliverAll(backend, created(order), succeeded(order));
    await backend.runOnce('reprocess_webhook');
    await expectBooked(order, { [refundIdOf(refund)]: '5' }, '5');
    expect(await eventStatus(backend.db.owner, refund.id)).toBe('processed');
    expect((await tasksOfEvent(backend.db.owner, refund.id))[0]).toMatchObject({ status: 'succeeded' });
  });

  it('F15 order first, refund second: handled in a single pass', async () => {
    const order = await paidOrder(backend);
    await clinkOrderIs(backend, order, 'refunded');
    const refund = refundOf(order, 19.99);
    await deliverAll(backend, refund);
    expect(await eventStatus(backend.db.owner, refund.id)).toBe('processed');
    expect(await tasksOf(backend.db.owner, order.id)).toEqual(['fulfill', 'refund_reconcile']);

    expect((await backend.runDue()).sort()).toEqual(['apply_refund_policy', 'fulfill', 'refund_reconcile']);
    expect(await storedOrder(backend.db.owner, order.id)).toMatchObject({ paymentStatus: 'refunded' });
    expect(await reasonsOf(backend.db.owner, refund.id)).toEqual(['refund_booked', 'refund_status_settled']);
    expect(toldAmounts(order)).toEqual(['refunded 19.99 USD']);
  });
});
