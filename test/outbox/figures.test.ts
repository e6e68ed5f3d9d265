import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TASK_NAMES } from '../../functions/outbox/tasks.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { embeddedMetrics } from '../support/embedded-metrics.ts';
import { addOrder, addTask } from '../support/rows.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.drop());

/** Everything that the claimer publishes now: metric name, with the task where there is one, to its value. */
async function published(): Promise<Record<string, number>> {
  const metrics = await embeddedMetrics(async () => {
    const { publishFigures } = await import('../../functions/outbox/publish-figures.ts');
    await publishFigures(db.app);
  });
  return Object.fromEntries(
    metrics.map(({ namespace, name, dimensions: { service, task, ...others }, value }) => {
      expect({ namespace, service, others }).toEqual({
        namespace: 'ClinkMerchant',
        service: 'clink-merchant',
        others: {},
      });
      return [task === undefined ? name : `${name}:${task}`, value];
    }),
  );
}

describe('the figures behind the alarms', () => {
  it('come every time, as zeros when nothing is wrong', async () => {
    const figures = await published();
    expect(Object.keys(figures).sort()).toEqual(
      [
        'OldestDueTaskSeconds',
        'OldestExpiredLeaseSeconds',
        'OldestUnsentPageSeconds',
        'OldestDeferredEventSeconds',
        'OpenReviewCases',
        ...TASK_NAMES.map((task) => `FailedTasks:${task}`),
      ].sort(),
    );
    expect(Object.values(figures).every((value) => value === 0)).toBe(true);
  });

  it.each(TASK_NAMES)('count a %s that failed for good', async (task) => {
    const id = await addTask(db.owner, { task, status: 'failed', attempt: 12 });
    expect(await published()).toMatchObject({ [`FailedTasks:${task}`]: 1 });
    await db.owner`DELETE FROM outbox WHERE id = ${id}`;
  });

  it('tell how long the oldest of each kind has waited', async () => {
    const since = (seconds: number) => new Date(Date.now() - seconds * 1000);
    await addTask(db.owner, { nextRetryAt: since(500) });
    await addTask(db.owner, { nextRetryAt: new Date(Date.now() + 60_000) });
    await addTask(db.owner, { status: 'processing', claimToken: 't', leaseUntil: since(400) });
    await addTask(db.owner, {
      task: 'page_outbox_failure',
      createdAt: since(300),
      nextRetryAt: new Date(Date.now() + 60_000),
    });
    await db.owner`INSERT INTO webhook_events ${db.owner({ id: 'e', type: 't', payload: '{}', bodyHash: 'h', createdAt: since(200) })}`;
    const order = await addOrder(db.owner);
    await db.owner`INSERT INTO reconciliation_cases (dedupe_key, event_id, merchant_order_id, reason, evidence)
                   VALUES ('a', 'e', ${order}, 'x', '{}'), ('b', 'e', ${order}, 'x', '{}')`;
    await db.owner`UPDATE reconciliation_cases SET status = 'resolved' WHERE dedupe_key = 'a'`;

    const figures = await published();
    const within = (name: string, seconds: number) => {
      expect(figures[name]).toBeGreaterThanOrEqual(seconds - 1);
      expect(figures[name]).toBeLessThan(seconds + 60);
    };
    within('OldestDueTaskSeconds', 500);
    within('OldestExpiredLeaseSeconds', 400);
    within('OldestUnsentPageSeconds', 300);
    within('OldestDeferredEventSeconds', 200);
    expect(figures.OpenReviewCases).toBe(1);
  });
});
