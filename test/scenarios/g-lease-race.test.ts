import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { claimOne, lockClaimable, renewLease } from '../../functions/database/outbox.ts';
import { inTransaction } from '../../functions/database/transaction.ts';
import { fulfillOrder } from '../../functions/flows/fulfill-order.ts';
import { openReconciliationCase } from '../../functions/flows/open-reconciliation-case.ts';
import type { Lease } from '../../functions/outbox/lease.ts';
import type { Work } from '../../functions/outbox/run-task.ts';
import { handTimers } from '../outbox/hand-timers.ts';
import { caseStatus, insertCase, insertPaidOrder, orderRow } from '../outbox/orders.ts';
import { LEASE_MS, type Stage, setStage } from '../outbox/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

/** Work that says when it has begun, and goes on when the test says so. */
function stepped(goOn: (lease: Lease) => Promise<void> = async () => undefined) {
  const begun = Promise.withResolvers<Lease>();
  const gate = Promise.withResolvers<void>();
  const work: Work = async (_task, lease) => {
    begun.resolve(lease);
    await gate.promise;
    await goOn(lease);
  };
  return { work, begun: begun.promise, resume: () => gate.resolve() };
}

/** A claimed, sent and taken over by worker A, which is now busy. */
async function busyWorkerA(goOn?: (lease: Lease) => Promise<void>) {
  const id = await stage.queue('fulfill');
  const hand = handTimers();
  const a = stepped(goOn);
  await stage.claim();
  const ended = stage.work('fulfill', a.work, { timers: hand.timers, newToken: () => `token-a-${id}` });
  const lease = await a.begun;
  return { id, hand, lease, ended, resume: a.resume };
}

/** A's lease runs out and the row is claimed for B, which takes it over. */
async function busyWorkerB(id: number) {
  await stage.expireLease(id);
  await stage.claim();
  const b = stepped();
  const ended = stage.work('fulfill', b.work, { newToken: () => `token-b-${id}` });
  await b.begun;
  return { ended, resume: b.resume };
}

describe('lease race', () => {
  it('G1 claim: the row is processing under the token that the claimer made', async () => {
    const id = await stage.queue('fulfill');
    await stage.claim({ newToken: () => 'token-a' });

    const row = await stage.row(id);
    expect(row).toMatchObject({ status: 'processing', claimToken: 'token-a', startedAt: null, attempt: 0 });
    expect(row.leaseInMs).toBeGreaterThan(LEASE_MS - 60_000);
    const waiting = await stage.queues.waiting(stage.queues.urlOf('fulfill'));
    expect(waiting.map((body) => JSON.parse(body))).toEqual([
      { taskId: id, claimToken: 'token-a', eventId: expect.any(String) },
    ]);
  });

  it('G2 lost before start: a ticket whose lease ran out starts nothing', async () => {
    const id = await stage.queue('fulfill');
    await stage.claim();
    await stage.expireLease(id);
    const before = await stage.row(id);

    const ran: number[] = [];
    const response = await stage.work('fulfill', async (task) => void ran.push(task.id));
    expect(ran).toEqual([]);
    expect(response).toEqual({ batchItemFailures: [] });
    expect(await stage.row(id)).toMatchObject({ claimToken: before.claimToken, status: 'processing', startedAt: null });
  });

  it('G2 lost before start: a ticket whose row was claimed anew starts nothing', async () => {
    const id = await stage.queue('fulfill');
    await stage.claim({ newToken: () => 'ticket-a' });
    await stage.expireLease(id);
    await stage.claim({ newToken: () => 'ticket-b' });

    const ran: string[] = [];
    await stage.work('fulfill', async () => void ran.push('first message'));
    await stage.work('fulfill', async () => void ran.push('second message'));
    expect(ran).toEqual(['second message']);
    expect(await stage.row(id)).toMatchObject({ status: 'succeeded', attempt: 0 });
  });

  it('G3 a batch asked for: one claim takes one row, and each row has a token and a lease of its own', async () => {
    const ids = [await stage.queue('fulfill'), await stage.queue('fulfill'), await stage.queue('fulfill')];
    const ticket = await inTransaction(stage.db.app, async (tx) => {
      expect(await lockClaimable(tx, 'fulfill', 10)).toEqual(ids);
      const [id = 0] = ids;
      return { result: await claimOne(tx, { id, claimToken: 'one', leaseMs: LEASE_MS }), writes: [] };
    });
    expect(ticket?.id).toBe(ids[0]);
    const statuses = await Promise.all(ids.map(async (id) => (await stage.row(id)).status));
    expect(statuses).toEqual(['processing', 'pending', 'pending']);

    await stage.claim();
    const rows = await Promise.all(ids.map((id) => stage.row(id)));
    expect(new Set(rows.map((row) => row.claimToken)).size).toBe(3);
    const [leases] = await stage.db.owner`SELECT count(DISTINCT lease_until) AS n FROM outbox`;
    expect(leases?.n).toBe(3);
  });

  it('G4 a long task keeps its lease: the heartbeat moves it on and nobody else can claim', async () => {
    const a = await busyWorkerA();
    expect(a.hand.intervals).toEqual([LEASE_MS / 3]);

    for (const _ of ['first', 'second']) {
      await stage.db.owner`UPDATE outbox SET lease_until = now() + interval '1 minute' WHERE id = ${a.id}`;
      a.hand.beat();
      await expect.poll(async () => (await stage.row(a.id)).leaseInMs).toBeGreaterThan(LEASE_MS - 60_000);
      expect(await stage.claim()).toEqual(new Map());
    }
    a.resume();
    await a.ended;
    expect(await stage.row(a.id)).toMatchObject({ status: 'succeeded', attempt: 0 });
    expect(a.hand.running()).toBe(0);
  });

  it('G5 lease expires, another claims: the token is B’s and the lease is new', async () => {
    const a = await busyWorkerA();
    expect(await stage.row(a.id)).toMatchObject({ claimToken: `token-a-${a.id}` });
    const b = await busyWorkerB(a.id);

    const row = await stage.row(a.id);
    expect(row).toMatchObject({ status: 'processing', claimToken: `token-b-${a.id}`, attempt: 1 });
    expect(row.leaseInMs).toBeGreaterThan(LEASE_MS - 60_000);
    a.resume();
    b.resume();
    await Promise.all([a.ended, b.ended]);
  });

  it('G6 heartbeat finds zero rows: the merchant’s call is aborted and nothing more is done', async () => {
    await insertPaidOrder(stage.db.owner, 'order_g6');
    const id = await stage.queue('fulfill', { merchantOrderId: 'order_g6' });
    const hand = handTimers();
    const called = Promise.withResolvers<AbortSignal>();
    const fulfillment = {
      fulfill: (_order: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise<void>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          called.resolve(signal);
        }),
    };
    await stage.claim();
    const work: Work = (task, lease) => fulfillOrder({ sql: stage.db.app, fulfillment }, task, lease);
    const ended = stage.work('fulfill', work, { timers: hand.timers });
    const signal = await called.promise;

    await stage.expireLease(id);
    await stage.claim({ newToken: () => 'ticket-b' });
    hand.beat();
    expect(await ended).toEqual({ batchItemFailures: [] });
    expect(signal.reason).toMatchObject({ name: 'LeaseLost' });
    expect(await stage.row(id)).toMatchObject({ status: 'processing', claimToken: 'ticket-b', lastError: null });
    expect(await orderRow(stage.db.owner, 'order_g6')).toMatchObject({ fulfillmentStatus: 'pending' });
  });

  it('G6 heartbeat finds zero rows: one that gets no answer counts as a lost lease too', async () => {
    const a = await busyWorkerA();
    await stage.db.owner`ALTER TABLE outbox RENAME TO outbox_away`;
    a.hand.beat();
    await new Promise((aborted) => a.lease.signal.addEventListener('abort', aborted));
    await stage.db.owner`ALTER TABLE outbox_away RENAME TO outbox`;
    a.resume();
    await a.ended;
    expect(await stage.row(a.id)).toMatchObject({ status: 'processing', claimToken: `token-a-${a.id}`, attempt: 0 });
  });

  it('G7 lost between case and alert: the alert is not sent', async () => {
    await insertPaidOrder(stage.db.owner, 'order_g7');
    await insertCase(stage.db.owner, 'case_g7', 'order_g7');
    const id = await stage.queue('manual_reconciliation', { payload: { caseKey: 'case_g7' } });
    const calls: string[] = [];
    const desk = {
      async openOrUpdate() {
        calls.push('case');
        await stage.expireLease(id);
        await stage.claim();
      },
    };
    const alerting = { openOrUpdate: async () => void calls.push('alert') };
    const work: Work = (task, lease) => openReconciliationCase({ sql: stage.db.app, desk, alerting }, task, lease);

    await stage.claim();
    await stage.work('manual_reconciliation', work);
    expect(calls).toEqual(['case']);
    expect(await caseStatus(stage.db.owner, 'case_g7')).toBe('pending');

    const free = { openOrUpdate: async () => void calls.push('case again') };
    await stage.work('manual_reconciliation', (task, lease) =>
      openReconciliationCase({ sql: stage.db.app, desk: free, alerting }, task, lease),
    );
    expect(calls).toEqual(['case', 'case again', 'alert']);
    expect(await caseStatus(stage.db.owner, 'case_g7')).toBe('open');
  });

  const reports: [string, (lease: Lease) => Promise<void>][] = [
    ['success', async () => undefined],
    ['failure', () => Promise.reject(new Error('too late'))],
  ];
  it.each(reports)('G8 the old worker reports %s: the row stays as the new worker has it', async (_, goOn) => {
    const a = await busyWorkerA(goOn);
    const b = await busyWorkerB(a.id);
    const before = await stage.row(a.id);
    a.resume();
    expect(await a.ended).toEqual({ batchItemFailures: [] });

    const { dueInMs: _due, leaseInMs: _lease, ...unchanged } = before;
    expect(await stage.row(a.id)).toMatchObject(unchanged);
    b.resume();
    await b.ended;
  });

  it.each(reports)('G9 the new worker completes: an old worker’s %s does not overwrite it', async (_, goOn) => {
    const a = await busyWorkerA(goOn);
    const b = await busyWorkerB(a.id);
    b.resume();
    await b.ended;
    expect(await stage.row(a.id)).toMatchObject({ status: 'succeeded' });

    a.resume();
    await a.ended;
    expect(await stage.row(a.id)).toMatchObject({ status: 'succeeded', claimToken: null, lastError: null });
  });

  it('G10 the old worker renews: the answer is no, and it stops at once', async () => {
    const steps: string[] = [];
    const a = await busyWorkerA(async (lease) => {
      steps.push('asks');
      await lease.ensureOwned();
      steps.push('goes on');
    });
    const b = await busyWorkerB(a.id);
    expect(await renewLease(stage.db.app, { id: a.id, claimToken: `token-a-${a.id}` }, LEASE_MS)).toBe(false);

    a.resume();
    await a.ended;
    expect(steps).toEqual(['asks']);
    expect(await stage.row(a.id)).toMatchObject({ status: 'processing', claimToken: `token-b-${a.id}` });
    b.resume();
    await b.ended;
  });
});
