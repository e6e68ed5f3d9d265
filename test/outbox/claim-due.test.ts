import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MAX_ATTEMPT, type Stage, setStage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const queued = (task: Parameters<Stage['queue']>[0], times: number) =>
  Promise.all(Array.from({ length: times }, () => stage.queue(task)));
const inQueue = async (task: Parameters<Stage['queue']>[0]) =>
  (await stage.queues.waiting(stage.queues.urlOf(task))).length;

async function inFlight(task: string): Promise<number> {
  const [row] = await stage.db.owner<{ n: number }[]>`
    SELECT count(*) AS n FROM outbox WHERE task = ${task} AND status = 'processing'`;
  return row?.n ?? 0;
}

describe('the claimer', () => {
  it('finds nothing when nothing is due', async () => {
    const id = await stage.queue('fulfill');
    await stage.db.owner`UPDATE outbox SET next_retry_at = now() + interval '1 hour' WHERE id = ${id}`;
    expect(await stage.claim()).toEqual(new Map());
  });

  it('takes what is due longest first', async () => {
    const [first = 0, second = 0, third = 0] = await queued('fulfill', 3);
    await stage.db.owner`UPDATE outbox SET next_retry_at = now() - id * interval '1 second'`;
    await stage.claim({ maxInFlight: () => 2 });
    const statuses = await Promise.all([first, second, third].map(async (id) => (await stage.row(id)).status));
    expect(statuses).toEqual(['pending', 'processing', 'processing']);
  });

  it('never has more rows of a task in flight than its workers take, also with two claimers at once', async () => {
    await queued('fulfill', 9);
    const [one, two] = await Promise.all([
      stage.claim({ maxInFlight: () => 4, hasTime: () => true }),
      stage.claim({ maxInFlight: () => 4, hasTime: () => true }),
    ]);
    expect((one.get('fulfill')?.sent ?? 0) + (two.get('fulfill')?.sent ?? 0)).toBe(4);
    expect(await inFlight('fulfill')).toBe(4);
    expect(await inQueue('fulfill')).toBe(4);
  });

  it('claims a row once, however many claimers run', async () => {
    await queued('reprocess_webhook', 8);
    await Promise.all(Array.from({ length: 4 }, () => stage.claim()));
    expect(await inQueue('reprocess_webhook')).toBe(8);
  });

  it('lets no task with busy workers hold up another', async () => {
    await queued('fulfill', 30);
    const [other = 0] = await queued('apply_refund_policy', 1);
    const counts = await stage.claim({ hasTime: () => true });
    expect(counts.get('fulfill')).toMatchObject({ sent: 10 });
    expect(await stage.row(other)).toMatchObject({ status: 'processing' });
  });

  it('goes on as long as workers become free and it has time', async () => {
    await queued('fulfill', 7);
    const counts = await stage.claim({
      maxInFlight: () => 3,
      hasTime: () => true,
      send: async (_url, body) => {
        const { taskId } = JSON.parse(body) as { taskId: number };
        await stage.db.owner`
          UPDATE outbox SET status = 'succeeded', claim_token = NULL, lease_until = NULL WHERE id = ${taskId}`;
      },
    });
    expect(counts.get('fulfill')).toEqual({ sent: 7, returned: 0, exhausted: 0 });
  });

  it('gives back at once what could not be sent, without costing it a try, and serves the other tasks', async () => {
    const [unsent = 0] = await queued('fulfill', 1);
    await queued('reconcile_attempt', 2);
    const counts = await stage.claim({
      hasTime: () => true,
      send: (url, body) =>
        url === stage.queues.urlOf('fulfill')
          ? Promise.reject(new Error('SQS is not there'))
          : stage.queues.sender.send(url, body),
    });
    expect(counts.get('fulfill')).toEqual({ sent: 0, returned: 1, exhausted: 0 });
    expect(counts.get('reconcile_attempt')).toMatchObject({ sent: 2 });
    expect(await stage.row(unsent)).toMatchObject({ status: 'pending', attempt: 0, claimToken: null });
    expect((await stage.claim()).get('fulfill')).toMatchObject({ sent: 1 });
  });

  it('looks again after a pass of which as much came back as was sent', async () => {
    await queued('fulfill', 2);
    let isFirst = true;
    const counts = await stage.claim({
      hasTime: () => true,
      send: async (url, body) => {
        if (isFirst) {
          isFirst = false;
          await stage.queue('reconcile_attempt');
          throw new Error('SQS is not there');
        }
        return stage.queues.sender.send(url, body);
      },
    });
    expect(counts.get('fulfill')).toEqual({ sent: 1, returned: 1, exhausted: 0 });
    expect(counts.get('reconcile_attempt')).toMatchObject({ sent: 1 });
  });

  it('passes over a row that somebody else holds', async () => {
    const [id = 0] = await queued('fulfill', 1);
    await stage.db.owner.begin(async (tx) => {
      await tx`SELECT FROM outbox WHERE id = ${id} FOR UPDATE`;
      expect((await stage.claim()).get('fulfill')).toEqual({ sent: 0, returned: 0, exhausted: 0 });
    });
  });

  it('says that the database failed after it has served the other tasks', async () => {
    await queued('fulfill', 1);
    await queued('reconcile_attempt', 1);
    const limit = (task: string) => {
      if (task === 'fulfill') throw new Error('cannot say');
      return 10;
    };
    await expect(stage.claim({ maxInFlight: limit })).rejects.toThrow('cannot say');
    expect(await inQueue('reconcile_attempt')).toBe(1);
  });
});

describe('a lease that ran out', () => {
  it('costs nothing while no worker had taken the row over', async () => {
    const [id = 0] = await queued('fulfill', 1);
    for (let round = 0; round < MAX_ATTEMPT + 1; round += 1) {
      await stage.claim();
      await stage.expireLease(id);
    }
    expect(await stage.row(id)).toMatchObject({ status: 'processing', attempt: 0 });
  });

  it('costs a try once a worker had started, so that a task which kills its worker ends failed and paged', async () => {
    const [id = 0] = await queued('manual_reconciliation', 1);
    for (let round = 1; round <= MAX_ATTEMPT; round += 1) {
      await stage.claim();
      expect(await stage.row(id)).toMatchObject({ status: 'processing', attempt: round - 1 });
      await stage.db.owner`
        UPDATE outbox SET started_at = now(), lease_until = now() - interval '1 second' WHERE id = ${id}`;
    }
    const counts = await stage.claim({ hasTime: () => true });
    expect(counts.get('manual_reconciliation')).toEqual({ sent: 0, returned: 0, exhausted: 1 });
    expect(counts.get('page_outbox_failure')).toMatchObject({ sent: 1 });
    expect(await stage.row(id)).toMatchObject({ status: 'failed', attempt: MAX_ATTEMPT, lastError: 'LeaseExpired' });
    expect(await stage.pages()).toMatchObject([{ payload: { failedTaskId: id, errorName: 'LeaseExpired' } }]);
  });

  it('does not end a page that kills its worker', async () => {
    const [id = 0] = await queued('page_outbox_failure', 1);
    await stage.setAttempt(id, MAX_ATTEMPT + 5);
    expect((await stage.claim()).get('page_outbox_failure')).toMatchObject({ sent: 1 });
  });

  it('gives a fresh set of tries to a task that was woken while its worker was dying', async () => {
    const [id = 0] = await queued('reprocess_webhook', 1);
    await stage.setAttempt(id, MAX_ATTEMPT - 1);
    await stage.claim();
    await stage.db.owner`
      UPDATE outbox SET started_at = now(), lease_until = now() - interval '1 second', woken = TRUE WHERE id = ${id}`;
    expect((await stage.claim()).get('reprocess_webhook')).toMatchObject({ sent: 1 });
    expect(await stage.row(id)).toMatchObject({ status: 'processing', attempt: 0, woken: false });
  });
});
