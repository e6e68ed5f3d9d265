import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect } from '../functions/database/connection.ts';
import {
  claimOne,
  finishTask,
  lockClaimable,
  type OwnedTask,
  renewLease,
  takeOver,
} from '../functions/database/outbox.ts';
import { findCase } from '../functions/database/reconciliation-cases.ts';
import { inTransaction } from '../functions/database/transaction.ts';
import { fromMinorUnits } from '../functions/decisions/money.ts';
import { claimDue } from '../functions/outbox/claim-due.ts';
import { readTicket } from '../functions/outbox/ticket.ts';
import { type Backend, startBackend } from './support/backend.ts';
import { T } from './support/clink-events.ts';
import { collide } from './support/collision.ts';
import { createDatabase } from './support/database.ts';
import { attemptedOrder, deliverAll, newClinkOrderId, newRefundId, paidOrder, succeeded } from './support/payments.ts';
import { addAttempt, addOrder, addTask } from './support/rows.ts';
import { casesOf, eventStatus, journalOf, refundsOf, storedAttempt, storedOrder, tasksOf } from './support/stored.ts';
import { orderBody, refundBody } from './support/webhooks.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await startBackend();
});
afterEach(async () => {
  vi.useRealTimers();
  await backend.db.owner`DELETE FROM outbox`;
});
afterAll(() => backend.close());

const LEASE_MS = 300_000;

/** Claims the fulfilment that is due first. */
function claim(claimToken = 'ticket', sql = backend.db.app) {
  return inTransaction(sql, async (tx) => {
    const [id = 0] = await lockClaimable(tx, 'fulfill', 100);
    return { result: await claimOne(tx, { id, claimToken, leaseMs: LEASE_MS }), writes: [] };
  });
}

async function takeOverTask(id: number, ticket = 'ticket'): Promise<OwnedTask> {
  const take = { id, ticket, claimToken: 'owner', workerId: 'worker', leaseMs: LEASE_MS };
  const owned = await takeOver(backend.db.app, take);
  if (!owned) throw new Error('the ticket was not good');
  return owned;
}

async function ownedTask(columns: Record<string, unknown> = {}): Promise<OwnedTask> {
  const id = await addTask(backend.db.owner, columns);
  await claim();
  return takeOverTask(id);
}

async function outboxRow(id: number) {
  const [row] = await backend.db.owner<{ status: string; attempt: number; waitMs: string | null; leaseMs: string }[]>`
    SELECT status, attempt, extract(epoch FROM next_retry_at - updated_at) * 1000 AS wait_ms,
           trim_scale(extract(epoch FROM lease_until - updated_at) * 1000) AS lease_ms
    FROM outbox WHERE id = ${id}`;
  return row;
}

describe('the driver', () => {
  it('a duplicate is told by the rows that come back, not by the fields of an error', async () => {
    const order = await backend.checkout();
    const event = orderBody('order.created', order, newClinkOrderId());
    const answers = await Promise.all(Array.from({ length: 5 }, () => backend.deliver(event)));
    expect([...answers, await backend.deliver(event)]).toEqual(Array(6).fill({ statusCode: 200, body: 'ok' }));
    expect(await journalOf(backend.db.owner, order.id)).toEqual(['attempt_inserted']);
  });

  it('a lease is held or lost by the count of changed rows', async () => {
    const { app } = backend.db;
    const owned = await ownedTask();
    expect(await renewLease(app, owned, LEASE_MS)).toBe(true);
    expect(await renewLease(app, { ...owned, claimToken: 'of another' }, LEASE_MS)).toBe(false);
    expect(await finishTask(app, owned)).toBe(true);
    expect(await finishTask(app, owned)).toBe(false);
  });

  it('a JSON column holds an object, not the text of one', async () => {
    const { owner } = backend.db;
    const order = await attemptedOrder(backend);
    await deliverAll(backend, orderBody('order.failed', order, order.clinkOrderId, { sessionId: 'sess_foreign' }));
    backend.merchant.statuses.push(422);
    await backend.runOnce('manual_reconciliation');

    const columns = await owner`
      SELECT DISTINCT 'snapshot' AS what, jsonb_typeof(product_snapshot) AS type FROM merchant_orders
      UNION SELECT 'evidence', jsonb_typeof(evidence) FROM reconciliation_cases
      UNION SELECT task, jsonb_typeof(payload) FROM outbox WHERE payload <> '{}' ORDER BY what`;
    expect([...columns]).toEqual(
      ['evidence', 'manual_reconciliation', 'page_outbox_failure', 'snapshot'].map((what) => ({
        what,
        type: 'object',
      })),
    );
  });

  it('keys inside JSON keep their spelling while columns are renamed', async () => {
    const { app, owner } = backend.db;
    const kept = { snake_key: { inner_key: 'a' }, camelKey: 'b' };
    expect(await ownedTask({ payload: owner.json(kept) })).toMatchObject({
      dedupeKey: expect.any(String),
      payload: kept,
    });

    const id = await addOrder(owner);
    await owner`
      INSERT INTO reconciliation_cases (dedupe_key, event_id, merchant_order_id, reason, evidence)
      VALUES ('spelling', 'event_1', ${id}, 'x', ${owner.json(kept)})`;
    expect((await findCase(app, 'spelling'))?.evidence).toEqual(kept);
  });

  it('a BIGINT is a number, and refused where a number cannot hold it', async () => {
    const { app } = backend.db;
    expect(await app`SELECT 1786000000000::bigint AS time`).toEqual([{ time: 1_786_000_000_000 }]);
    await expect(app`SELECT 9007199254740993::bigint AS time`).rejects.toThrow(RangeError);
  });

  it('BIGINT times that are equal are seen as a tie', async () => {
    const order = await attemptedOrder(backend);
    await deliverAll(backend, orderBody('order.created', order, newClinkOrderId(), { created: T }));
    expect(await journalOf(backend.db.owner, order.id)).toEqual(['attempt_inserted', 'attempt_order_ambiguous']);
    expect(await tasksOf(backend.db.owner, order.id)).toContain('reconcile_session');
  });

  it('BIGINT times of different length are compared as numbers', async () => {
    const { owner } = backend.db;
    const order = await backend.checkout();
    const clinkOrderId = newClinkOrderId();
    await deliverAll(
      backend,
      orderBody('order.created', order, clinkOrderId, { created: 999_999_999_998 }),
      orderBody('order.next_action', order, clinkOrderId, { created: 999_999_999_999 }),
      orderBody('order.failed', order, clinkOrderId, { created: 1_000_000_000_000 }),
    );
    expect(await storedAttempt(owner, clinkOrderId)).toMatchObject({ status: 'failed' });
  });

  it('a lost race for a key rolls back and decides again; nothing goes on in an aborted transaction', async () => {
    const { owner } = backend.db;
    const [a, b, holder] = [await backend.checkout(), await backend.checkout(), await addOrder(owner)];
    const clinkOrderId = newClinkOrderId();
    const answers = await collide(
      owner,
      (tx) => addAttempt(tx, holder, { clinkOrderId }),
      [a, b].map((order) => () => backend.deliver(orderBody('order.created', order, clinkOrderId))),
    );
    expect(answers).toEqual(Array(2).fill({ statusCode: 200, body: 'ok' }));
    const reasons = [await journalOf(owner, a.id), await journalOf(owner, b.id)].sort();
    expect(reasons).toEqual([['attempt_inserted'], ['payment_attempt_ownership_conflict']]);
  });

  it('a reserved connection may be the first use of a pool', async () => {
    const fresh = connect({ url: backend.db.appUrl, max: 1 });
    const result = await inTransaction(fresh, async (tx) => ({ result: await tx`SELECT 1 AS one`, writes: [] }));
    await fresh.end();
    expect(result).toEqual([{ one: 1 }]);
  });

  it('statements are prepared, since only those travel together', () => {
    expect(backend.db.app.options.prepare).toBe(true);
  });
});

describe('money', () => {
  it.each([0, '0', '0.00', -5, '-5', '+5', '0x10', '1e1', 1e308, '1e308', 'NaN', 'Infinity', ' 5', '5,00', '', null])(
    'a refund of %j is reviewed and not booked',
    async (amount) => {
      const { owner } = backend.db;
      const order = await paidOrder(backend);
      await deliverAll(backend, refundBody(order.clinkOrderId, newRefundId(), amount));
      expect(await casesOf(owner, order.id)).toMatchObject([{ reason: 'invalid_refund_record' }]);
      expect(await refundsOf(owner, order.id)).toEqual([]);
      expect(await storedOrder(owner, order.id)).toMatchObject({ paymentStatus: 'paid', refundedAmount: '0' });
    },
  );

  it.each(['0x10', '1e1', -19.99, 'NaN', 19.99001, '19.990001'])(
    'a payment of %j is reviewed and pays nothing',
    async (amountTotal) => {
      const { owner } = backend.db;
      const order = await attemptedOrder(backend);
      await deliverAll(backend, succeeded(order, { amountTotal }));
      expect(await casesOf(owner, order.id)).toMatchObject([{ reason: 'invalid_refund_payment_basis' }]);
      expect(await storedOrder(owner, order.id)).toMatchObject({
        paymentStatus: 'pending',
        refundablePaidAmount: null,
      });
      expect(await tasksOf(owner, order.id)).not.toContain('fulfill');
    },
  );

  it('a payment of zero is a payment: delivered, and nothing of it can be given back', async () => {
    const { owner } = backend.db;
    const order = await paidOrder(backend, { amountTotal: 0 });
    expect(await storedOrder(owner, order.id)).toMatchObject({ paymentStatus: 'paid', refundablePaidAmount: '0' });
    expect(await tasksOf(owner, order.id)).toEqual(['fulfill']);
    await deliverAll(backend, refundBody(order.clinkOrderId, newRefundId(), '0.01'));
    expect(await casesOf(owner, order.id)).toMatchObject([{ reason: 'refund_total_exceeds_payment_basis' }]);
  });

  it('a fifth decimal is refused, not rounded to differ from its own replay', async () => {
    const { owner } = backend.db;
    const order = await paidOrder(backend);
    const refundId = newRefundId();
    const replay = () => refundBody(order.clinkOrderId, refundId, '5.00001');
    await deliverAll(backend, replay(), replay());
    expect(await casesOf(owner, order.id)).toMatchObject([{ reason: 'invalid_refund_record' }]);
    expect(await refundsOf(owner, order.id)).toEqual([]);
  });

  it.each([
    `UPDATE merchant_orders SET original_amount = 'NaN'`,
    `UPDATE merchant_orders SET refundable_paid_amount = 'NaN' WHERE refundable_paid_amount IS NOT NULL`,
    `UPDATE refunds SET amount = 'NaN'`,
  ])('NaN is above zero for PostgreSQL, and refused all the same: %s', async (statement) => {
    const { owner } = backend.db;
    expect(await owner`SELECT 'NaN'::numeric > 0 AS above`).toEqual([{ above: true }]);
    const order = await paidOrder(backend);
    await deliverAll(backend, refundBody(order.clinkOrderId, newRefundId(), 5));
    await expect(owner.unsafe(statement)).rejects.toMatchObject({ code: '23514' });
  });

  it.each([
    ['JPY', '1999'],
    ['KRW', '1999'],
    ['IDR', '1999'],
    ['KWD', '1.999'],
    ['USD', '19.99'],
    ['XTS', undefined],
  ])('minor units are divided by what the currency says, not by a hundred: 1999 %s is %s', (currency, amount) => {
    expect(fromMinorUnits(1999n, currency)?.toFixed()).toBe(amount);
  });
});

describe('events', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])(
    'the type %s is not an event of ours',
    async (type) => {
      const { owner } = backend.db;
      const order = await backend.checkout();
      const event = { ...orderBody('order.succeeded', order, newClinkOrderId()), type };
      await deliverAll(backend, event);
      expect(await eventStatus(owner, event.id)).toBe('processed');
      const journal = await owner`SELECT outcome, reason FROM order_journal WHERE source_id = ${event.id}`;
      expect([...journal]).toEqual([{ outcome: 'done', reason: 'event_type_not_handled' }]);
      expect(await tasksOf(owner, order.id)).toEqual([]);
    },
  );

  it('a session that differs from none is early, not foreign', async () => {
    const { owner } = backend.db;
    const id = await addOrder(owner, { clinkSessionId: null, clinkCheckoutUrl: null, paymentStatus: 'created' });
    const event = orderBody('order.succeeded', { id, sessionId: 'sess_not_saved' }, newClinkOrderId());
    await deliverAll(backend, event);
    expect(await journalOf(owner, id)).toEqual(['session_not_saved_yet']);
    expect(await casesOf(owner, id)).toEqual([]);
    expect(await eventStatus(owner, event.id)).toBe('pending');
    expect(await tasksOf(owner, id)).toEqual(['reprocess_webhook']);
  });

  it('a task that failed for good is woken when what its event waited for appears', async () => {
    const { owner } = backend.db;
    const order = await backend.checkout();
    const clinkOrderId = newClinkOrderId();
    const refund = refundBody(clinkOrderId, newRefundId(), 5);
    await deliverAll(backend, refund);
    await owner`UPDATE outbox SET attempt = 11`;
    await backend.runOnce('reprocess_webhook');
    expect(await owner`SELECT status FROM outbox WHERE event_id = ${refund.id} AND task = 'reprocess_webhook'`).toEqual(
      [{ status: 'failed' }],
    );

    const attempted = { ...order, clinkOrderId };
    await deliverAll(backend, orderBody('order.created', order, clinkOrderId), succeeded(attempted));
    expect(await backend.runOnce('reprocess_webhook')).toBe(1);
    expect(await eventStatus(owner, refund.id)).toBe('processed');
    expect(await storedOrder(owner, order.id)).toMatchObject({ refundedAmount: '5' });
  });
});

describe('the outbox', () => {
  it('a worker that dies costs a try each time, so that a crash loop ends and pages', async () => {
    const { app, owner } = backend.db;
    const id = await addTask(owner);
    const tickets: string[] = [];
    const claimAll = () =>
      claimDue({
        sql: app,
        leaseMs: LEASE_MS,
        maxAttempt: 3,
        maxInFlight: () => 10,
        newToken: () => 'ticket',
        queueUrlOf: (task) => task,
        send: async (_queue, body) => void tickets.push(body),
        hasTime: () => false,
      });
    const expireLease = () => owner`UPDATE outbox SET lease_until = now() - interval '1 second' WHERE id = ${id}`;

    await claimAll();
    await expireLease();
    for (const attempt of [0, 1, 2]) {
      await claimAll();
      expect(await takeOverTask(id, readTicket(tickets.at(-1) ?? '')?.claimToken)).toMatchObject({ attempt });
      await expireLease();
    }
    await claimAll();
    expect(tickets).toHaveLength(4);
    expect(await outboxRow(id)).toMatchObject({ status: 'failed', attempt: 3 });
    expect(await owner`SELECT task FROM outbox WHERE status = 'pending'`).toEqual([{ task: 'page_outbox_failure' }]);
  });

  it.each([-3_600_000, 3_600_000])(
    'due times are added by the database: this clock is wrong by %d ms',
    async (wrong) => {
      const { app, owner } = backend.db;
      const id = await addTask(owner, { orderId: 'mo_missing' });
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + wrong });
      await backend.runOnce('fulfill');
      const failed = await outboxRow(id);
      expect(failed).toMatchObject({ status: 'pending', attempt: 1 });
      expect(Number(failed?.waitMs)).toBeGreaterThanOrEqual(750);
      expect(Number(failed?.waitMs)).toBeLessThanOrEqual(1_250);

      await backend.passBackoff();
      await claim();
      const owned = await takeOverTask(id);
      expect(await outboxRow(id)).toMatchObject({ leaseMs: String(LEASE_MS) });
      expect(await renewLease(app, owned, 2 * LEASE_MS)).toBe(true);
      expect(await outboxRow(id)).toMatchObject({ leaseMs: String(2 * LEASE_MS) });
    },
  );

  it('the row that is due first is claimed first, and of two the older one', async () => {
    const now = Date.now();
    const at = (seconds: number) => new Date(now - seconds * 1000);
    const ids: number[] = [];
    for (const seconds of [10, 20, 20, 15]) ids.push(await addTask(backend.db.owner, { nextRetryAt: at(seconds) }));
    const claimed: unknown[] = [];
    for (const token of ['1', '2', '3', '4']) claimed.push((await claim(token))?.id);
    expect(claimed).toEqual([ids[1], ids[2], ids[3], ids[0]]);
  });

  it('nothing on the hot path notifies: the schema has no triggers, and only functions that prune', async () => {
    const { owner } = backend.db;
    expect(await owner`SELECT tgname FROM pg_trigger WHERE NOT tgisinternal`).toHaveLength(0);
    const functions = await owner`
      SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY proname`;
    expect(functions.map(({ proname }) => proname)).toEqual(['drop_processed_bodies', 'prune_finished_tasks']);
  });
});

describe('a claim beside 20 000 finished rows', () => {
  it.each(['before', 'after'])('does not read them, %s PostgreSQL has looked at the table', async (when) => {
    const db = await createDatabase(1);
    await db.owner`ALTER TABLE outbox SET (autovacuum_enabled = FALSE)`;
    await db.owner`
      INSERT INTO outbox (task, event_id, dedupe_key, status)
      SELECT 'fulfill', 'event_1', 'finished:' || n, 'succeeded' FROM generate_series(1, 20000) AS n`;
    await db.owner`
      INSERT INTO outbox (task, event_id, dedupe_key) SELECT 'fulfill', 'event_1', 'due:' || n FROM generate_series(1, 5) AS n`;
    if (when === 'after') await db.owner`ANALYZE outbox`;

    const buffers = async (): Promise<number> => {
      const [row] = await db.owner<{ buffers: number }[]>`
        SELECT heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit AS buffers
        FROM pg_statio_user_tables WHERE relname = 'outbox'`;
      return row?.buffers ?? 0;
    };
    await db.owner`SELECT pg_stat_force_next_flush()`;
    const before = await buffers();
    expect(await claim('t', db.app)).toBeDefined();
    await db.app`SELECT pg_stat_force_next_flush()`;
    const used = (await buffers()) - before;
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThan(40);
    await db.drop();
  });
});
