import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lockOrder } from '../../functions/database/merchant-orders.ts';
import { takeOver } from '../../functions/database/outbox.ts';
import { takePolicyTurn } from '../../functions/database/refund-policy.ts';
import { inTransaction } from '../../functions/database/transaction.ts';
import { applyRefundPolicy } from '../../functions/flows/apply-refund-policy.ts';
import type { RefundPolicy, RefundState } from '../../functions/merchant/refund-policy.ts';
import type { RunDeps, Work } from '../../functions/outbox/run-task.ts';
import { insertPaidOrder, orderRow } from './orders.ts';
import { type Stage, setStage } from './stage.ts';

let stage: Stage;
let orders = 0;
let orderId = '';
/** Amounts that reached the merchant, in order. */
let told: string[] = [];
beforeAll(async () => {
  stage = await setStage();
});
beforeEach(async () => {
  orders += 1;
  orderId = `order_${orders}`;
  told = [];
  await insertPaidOrder(stage.db.owner, orderId);
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

function queueRefund(refundId: string, refundedAmount: string, orderStatus = 'partial_refunded'): Promise<number> {
  const payload = { refundId, refundedAmount, orderStatus, paymentCurrency: 'USD' };
  return stage.queue('apply_refund_policy', { merchantOrderId: orderId, payload });
}

const telling =
  (apply: (state: RefundState) => Promise<void> = async () => undefined): RefundPolicy['apply'] =>
  async (state) => {
    told.push(state.refundedAmount);
    await apply(state);
  };

function worker(apply: RefundPolicy['apply'] = telling()): Work {
  return (task, lease) => applyRefundPolicy({ sql: stage.db.app, refundPolicy: { apply } }, task, lease);
}
const work = (apply?: RefundPolicy['apply'], deps?: Partial<RunDeps>) =>
  stage.work('apply_refund_policy', worker(apply), deps);

/** A call that has begun and ends when the test says so. */
function slowCall() {
  const begun = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const apply = telling(() => {
    begun.resolve();
    return answer.promise;
  });
  return { apply, begun: begun.promise, answer };
}

describe('the refund policy', () => {
  it('hears the whole state, under the refund’s id', async () => {
    await queueRefund('rfd_1', '30', 'refunded');
    await stage.claim();
    const calls: unknown[] = [];
    await work(async (state, { idempotencyKey }) => void calls.push([state, idempotencyKey]));
    const state = {
      merchantOrderId: orderId,
      refundId: 'rfd_1',
      orderStatus: 'refunded',
      refundedAmount: '30',
      paymentCurrency: 'USD',
    };
    expect(calls).toEqual([[state, 'rfd_1']]);
    expect(await orderRow(stage.db.owner, orderId)).toMatchObject({
      appliedRefundAmount: '30',
      refundPolicyClaim: null,
    });
  });

  it('hears growing amounts in turn', async () => {
    for (const amount of ['9.5', '10', '100']) {
      await queueRefund(`rfd_${amount}`, amount);
      await stage.claim();
      await work();
    }
    expect(told).toEqual(['9.5', '10', '100']);
  });

  it('never hears a smaller amount after a larger one; the overtaken refund is done', async () => {
    const newer = await queueRefund('rfd_2', '30');
    await stage.claim();
    await work();
    const older = await queueRefund('rfd_1', '9.5');
    await stage.claim();
    await work();
    expect(told).toEqual(['30']);
    expect(await stage.row(newer)).toMatchObject({ status: 'succeeded' });
    expect(await stage.row(older)).toMatchObject({ status: 'succeeded' });
  });

  it('hears both refunds that were settled at one amount', async () => {
    for (const refundId of ['rfd_1', 'rfd_2']) {
      await queueRefund(refundId, '30');
      await stage.claim();
      await work();
    }
    expect(told).toEqual(['30', '30']);
  });

  it('is called once at a time: a second worker comes back later', async () => {
    const first = await queueRefund('rfd_1', '10');
    await stage.claim();
    const slow = slowCall();
    const ended = work(slow.apply);
    await slow.begun;

    const second = await queueRefund('rfd_2', '30');
    await stage.claim();
    await work();
    expect(await stage.row(second)).toMatchObject({
      status: 'pending',
      attempt: 1,
      lastError: 'TaskFailed:refund_policy_busy',
    });
    slow.answer.resolve();
    await ended;
    await stage.makeDue(second);
    await stage.claim();
    await work();
    expect(told).toEqual(['10', '30']);
    expect(await stage.row(first)).toMatchObject({ status: 'succeeded' });
  });

  it('lets only one of two workers through that take their turn at once, even while the order is locked', async () => {
    await queueRefund('rfd_1', '10');
    await queueRefund('rfd_2', '30');
    await stage.claim();
    const slow = slowCall();
    const locked = Promise.withResolvers<void>();
    const unlock = Promise.withResolvers<void>();
    const elsewhere = inTransaction(stage.db.app, async (tx) => {
      await lockOrder(tx, orderId);
      locked.resolve();
      await unlock.promise;
      return { result: null, writes: [] };
    });
    await locked.promise;
    const both = [work(slow.apply), work(slow.apply)];
    await expect.poll(async () => (await waitingForLocks()).length).toBe(2);
    unlock.resolve();
    await elsewhere;
    await slow.begun;
    await Promise.race(both);
    expect(told).toHaveLength(1);
    slow.answer.resolve();
    await Promise.all(both);
    expect(told).toHaveLength(1);
  });

  it('sees a claim that was taken over only while it waited for the order', async () => {
    const [late, early] = [await queueRefund('rfd_1', '10'), await queueRefund('rfd_2', '30')];
    await stage.claim();
    const own = async (id: number, claimToken: string, refundedAmount: string) => {
      const ticket = (await stage.row(id)).claimToken ?? '';
      const take = { id, ticket, claimToken, workerId: 'run', leaseMs: 60_000 };
      expect(await takeOver(stage.db.app, take)).toBeDefined();
      return { merchantOrderId: orderId, claimToken, refundedAmount };
    };
    const locked = Promise.withResolvers<void>();
    const lateTurn = Promise.withResolvers<Parameters<typeof takePolicyTurn>[1]>();
    const lateOutcome = inTransaction(stage.db.app, async (tx) => {
      await lockOrder(tx, orderId);
      locked.resolve();
      return { result: await takePolicyTurn(tx, await lateTurn.promise), writes: [] };
    });
    await locked.promise;
    const earlyTurn = await own(early, 'early', '30');
    const earlyOutcome = inTransaction(stage.db.app, async (tx) => ({
      result: await takePolicyTurn(tx, earlyTurn),
      writes: [],
    }));
    await expect.poll(async () => (await waitingForLocks()).length).toBe(1);
    lateTurn.resolve(await own(late, 'late', '10'));
    expect(await lateOutcome).toBe('ours');
    expect(await earlyOutcome).toBe('busy');
  });

  it('does not hear an older amount after a newer call whose outcome is unknown', async () => {
    const newer = await queueRefund('rfd_2', '30');
    await stage.claim();
    await work(telling(() => Promise.reject(new Error('no answer'))));
    await queueRefund('rfd_1', '10');
    await stage.claim();
    await work();
    expect(told).toEqual(['30']);

    await stage.makeDue(newer);
    await stage.claim();
    await work();
    expect(told).toEqual(['30', '30']);
  });

  it('is free again when the worker that called it has died', async () => {
    const first = await queueRefund('rfd_1', '10');
    await stage.claim();
    const dead = slowCall();
    const never = work(dead.apply);
    await dead.begun;
    await stage.expireLease(first);

    await queueRefund('rfd_2', '30');
    await stage.claim({ maxInFlight: () => 1 });
    const reclaimed = await stage.row(first);
    expect(reclaimed).toMatchObject({ status: 'processing', attempt: 1, startedAt: null });
    await work();
    await stage.claim();
    await work();
    expect(told).toEqual(['10', '10', '30']);
    dead.answer.resolve();
    await never;
    expect(await orderRow(stage.db.owner, orderId)).toMatchObject({
      appliedRefundAmount: '30',
      refundPolicyClaim: null,
    });
  });

  it('is not called by a worker whose lease ran out while it waited for its turn', async () => {
    const id = await queueRefund('rfd_1', '10');
    await stage.claim();
    const locked = Promise.withResolvers<void>();
    const unlock = Promise.withResolvers<void>();
    const elsewhere = inTransaction(stage.db.app, async (tx) => {
      await lockOrder(tx, orderId);
      locked.resolve();
      await unlock.promise;
      return { result: null, writes: [] };
    });
    await locked.promise;
    const ended = work();
    await expect.poll(async () => (await waitingForLocks()).length).toBe(1);
    await stage.expireLease(id);
    unlock.resolve();
    await Promise.all([elsewhere, ended]);
    expect(told).toEqual([]);
    expect(await stage.row(id)).toMatchObject({ status: 'processing', lastError: null });
  });

  it('fails at once, and pages, over a task that does not say how much', async () => {
    const id = await stage.queue('apply_refund_policy', { merchantOrderId: orderId, payload: { refundId: 'rfd_1' } });
    await stage.claim();
    await work();
    expect(await stage.row(id)).toMatchObject({ status: 'failed', lastError: 'TaskFailed:payload_incomplete' });
    expect(await stage.pages()).toHaveLength(1);
  });
});

function waitingForLocks() {
  return stage.db.owner`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
}
