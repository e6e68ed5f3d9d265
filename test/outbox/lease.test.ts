import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { takeOver } from '../../functions/database/outbox.ts';
import { startDeadline } from '../../functions/outbox/deadline.ts';
import { startLease } from '../../functions/outbox/lease.ts';
import { watchedSql } from './failing-sql.ts';
import { handTimers } from './hand-timers.ts';
import { LEASE_MS, type Stage, setStage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

/** A lease on a task that this test owns, with the renewals that it sends. */
async function held() {
  const id = await stage.queue('fulfill');
  await stage.claim({ newToken: () => 'ticket' });
  const take = { id, ticket: 'ticket', claimToken: 'own', workerId: 'run-1', leaseMs: LEASE_MS };
  const owned = await takeOver(stage.db.app, take);
  if (!owned) throw new Error('the task is not ours');
  const hand = handTimers();
  const deadline = new AbortController();
  const { sql, sent } = watchedSql(stage.db.app);
  const lease = startLease({ sql, leaseMs: LEASE_MS, timers: hand.timers }, owned, deadline.signal);
  return { id, lease, hand, deadline, sent };
}

it('a renewal that has not begun when the task ends is not made any more', async () => {
  const { lease, hand, sent } = await held();
  hand.beat();
  hand.beat();
  await lease.stop();
  expect(sent).toEqual([]);
});

it('a lost lease is not renewed again', async () => {
  const { id, lease, hand, sent } = await held();
  await stage.db.owner`UPDATE outbox SET claim_token = 'of another' WHERE id = ${id}`;
  hand.beat();
  hand.beat();
  await expect(lease.ensureOwned()).rejects.toMatchObject({ name: 'LeaseLost' });
  expect(sent).toHaveLength(1);
  expect(lease.isLost).toBe(true);
  await lease.stop();
});

it('past the deadline no lease is renewed, though it is not lost', async () => {
  const { lease, deadline, sent } = await held();
  deadline.abort(new Error('out of time'));
  await expect(lease.ensureOwned()).rejects.toThrow('out of time');
  expect([sent, lease.isLost]).toEqual([[], false]);
  await lease.stop();
});

it('a deadline that passes while nobody waits for it is no unhandled rejection', async () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown): void => void rejections.push(reason);
  process.on('unhandledRejection', note);
  const hand = handTimers();
  const { signal } = startDeadline(10_000, hand.timers);
  hand.timeIsUp();
  await new Promise((turn) => setImmediate(turn));
  process.off('unhandledRejection', note);
  expect([signal.aborted, rejections]).toEqual([true, []]);
});
