import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pageFailure } from '../../functions/flows/page-failure.ts';
import type { Alert } from '../../functions/merchant/alerting.ts';
import { exhaust } from '../../functions/outbox/exhaust.ts';
import type { Work } from '../../functions/outbox/run-task.ts';
import { insertPaidOrder, orderRow } from '../outbox/orders.ts';
import { MAX_ATTEMPT, type Stage, setStage } from '../outbox/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

class Unavailable extends Error {
  override readonly name = 'Unavailable';
  readonly code = 'desk_down';
}
const failing: Work = () => Promise.reject(new Unavailable('answer of the desk: jane@example.com'));

/** A task whose next failure is its last. */
async function claimedAtLastTry(orderId: string) {
  await insertPaidOrder(stage.db.owner, orderId);
  const id = await stage.queue('fulfill', { merchantOrderId: orderId });
  await stage.setAttempt(id, MAX_ATTEMPT - 1);
  await stage.claim();
  return id;
}

describe('exhaustion and paging', () => {
  it('H1 failure under the cap: pending again after a backoff, and nobody is paged', async () => {
    const id = await stage.queue('fulfill');
    await stage.claim();
    expect(await stage.work('fulfill', failing)).toEqual({ batchItemFailures: [] });

    const row = await stage.row(id);
    expect(row).toMatchObject({ status: 'pending', attempt: 1, claimToken: null, lastError: 'Unavailable:desk_down' });
    expect(row.dueInMs).toBeLessThanOrEqual(1_000);
    expect(await stage.pages()).toEqual([]);
  });

  it('H2 at the cap: failed and one page, with ids and codes only; the order says that it was not delivered', async () => {
    const id = await claimedAtLastTry('order_h2');
    await stage.work('fulfill', failing);

    expect(await stage.row(id)).toMatchObject({ status: 'failed', attempt: MAX_ATTEMPT, claimToken: null });
    const [page, ...others] = await stage.pages();
    expect(others).toEqual([]);
    expect(page).toMatchObject({ status: 'pending', attempt: 0, dedupeKey: `outbox_failure_alert:${id}` });
    expect(page?.payload).toEqual({
      failedTaskId: id,
      failedTask: 'fulfill',
      errorName: 'Unavailable',
      errorCode: 'desk_down',
    });
    expect(await orderRow(stage.db.owner, 'order_h2')).toMatchObject({ fulfillmentStatus: 'failed' });
    expect(await stage.queues.waiting(stage.queues.wakeUpUrl)).toHaveLength(1);
  });

  it('H3 rollback at the cap: neither failed nor paged, and the message goes back to SQS', async () => {
    const id = await claimedAtLastTry('order_h3');
    await stage.db.owner`ALTER TABLE outbox ADD CONSTRAINT no_page CHECK (task <> 'page_outbox_failure') NOT VALID`;
    const response = await stage.work('fulfill', failing);
    await stage.db.owner`ALTER TABLE outbox DROP CONSTRAINT no_page`;

    expect(response.batchItemFailures).toHaveLength(1);
    expect(await stage.row(id)).toMatchObject({ status: 'processing', attempt: MAX_ATTEMPT - 1 });
    expect(await stage.pages()).toEqual([]);
    expect(await orderRow(stage.db.owner, 'order_h3')).toMatchObject({ fulfillmentStatus: 'pending' });

    await stage.expireLease(id);
    await stage.claim();
    expect(await stage.row(id)).toMatchObject({ status: 'failed', attempt: MAX_ATTEMPT });
    expect(await stage.pages()).toHaveLength(1);
  });

  it('H3 stale token at the cap: neither failed nor paged', async () => {
    const id = await stage.queue('manual_reconciliation');
    await stage.setAttempt(id, MAX_ATTEMPT - 2);
    await stage.claim();
    await stage.work('manual_reconciliation', async (task) => {
      await stage.expireLease(id);
      await stage.claim({ newToken: () => 'token-b' });
      const late = { ...task, attempt: MAX_ATTEMPT };
      expect(await exhaust(stage.db.app, late, { errorName: 'Late', errorCode: null })).toBe(false);
      throw new Unavailable();
    });
    expect(await stage.row(id)).toMatchObject({ status: 'processing', claimToken: 'token-b' });
    expect(await stage.pages()).toEqual([]);
  });

  it('H4 the process dies after the commit: the page is there for whoever claims next', async () => {
    const id = await claimedAtLastTry('order_h4');
    await stage.work('fulfill', failing, { wakeUp: async () => undefined });
    expect(await stage.queues.waiting(stage.queues.wakeUpUrl)).toEqual([]);
    expect(await stage.pages()).toMatchObject([{ status: 'pending', dedupeKey: `outbox_failure_alert:${id}` }]);

    expect((await stage.claim()).get('page_outbox_failure')).toMatchObject({ sent: 1 });
    expect(await stage.queues.waiting(stage.queues.urlOf('page_outbox_failure'))).toHaveLength(1);
  });

  it('H5 page delivered: succeeded only once the alert was accepted', async () => {
    const id = await claimedAtLastTry('order_h5');
    await stage.work('fulfill', failing);
    await stage.claim();

    const called = Promise.withResolvers<Alert>();
    const accept = Promise.withResolvers<void>();
    const openOrUpdate = (alert: Alert) => {
      called.resolve(alert);
      return accept.promise;
    };
    const ended = stage.work('page_outbox_failure', (task, lease) =>
      pageFailure({ alerting: { openOrUpdate } }, task, lease),
    );
    const alert = await called.promise;
    expect(alert.dedupeKey).toBe(`outbox_failure_alert:${id}`);
    expect(JSON.stringify(alert)).not.toContain('example.com');
    expect(await stage.pages()).toMatchObject([{ status: 'processing' }]);
    accept.resolve();
    await ended;
    expect(await stage.pages()).toMatchObject([{ status: 'succeeded' }]);
  });

  it('H6 page fails: the same page comes back after a capped backoff, for ever, and pages nobody about itself', async () => {
    await claimedAtLastTry('order_h6');
    await stage.work('fulfill', failing);
    const [page] = await stage.pages();
    const id = page?.id ?? 0;

    for (const attempt of [1, MAX_ATTEMPT, 50]) {
      await stage.setAttempt(id, attempt - 1);
      await stage.makeDue(id);
      await stage.claim();
      await stage.work('page_outbox_failure', (task, lease) => failing(task, lease));
      expect(await stage.pages()).toMatchObject([{ id, status: 'pending', attempt }]);
    }
    const { dueInMs } = await stage.row(id);
    expect(dueInMs).toBeGreaterThan(3_500_000);
    expect(dueInMs).toBeLessThanOrEqual(3_600_000);
  });
});
