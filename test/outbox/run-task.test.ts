import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../functions/database/connection.ts';
import { finishTask, queuePage, queueTask, wakeDeferredEvents } from '../../functions/database/outbox.ts';
import { inTransaction } from '../../functions/database/transaction.ts';
import type { Work } from '../../functions/outbox/run-task.ts';
import { taskWorker } from '../../functions/outbox/task-worker.ts';
import { eventOf } from '../support/queues.ts';
import { handTimers } from './hand-timers.ts';
import { insertPaidOrder, orderRow } from './orders.ts';
import { LEASE_MS, MAX_ATTEMPT, type Stage, setStage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const ok: Work = async () => undefined;
const context = { awsRequestId: 'run-1', getRemainingTimeInMillis: () => 60_000 };

class Failure extends Error {
  override readonly name: string;
  constructor(fields: object) {
    super('text from outside');
    this.name = 'Failure';
    Object.assign(this, fields);
  }
}
const failingWith =
  (fields: object): Work =>
  () =>
    Promise.reject(new Failure(fields));

/** Wakes a deferred event as a decision about its order would. */
async function wake(eventId: string) {
  await stage.db.owner`
    INSERT INTO webhook_events (id, type, payload, body_hash, merchant_order_ref) VALUES (${eventId}, 't', '{}', 'h', ${eventId})
    ON CONFLICT DO NOTHING`;
  const awaited = { merchantOrderId: eventId, clinkSessionId: null, clinkOrderIds: [], exceptEventId: null };
  await inTransaction(stage.db.app, async (tx) => ({ result: null, writes: [wakeDeferredEvents(tx, awaited)] }));
}
const queueReprocessing = (eventId: string) =>
  stage.queue('reprocess_webhook', { dedupeKey: `reprocess_webhook:${eventId}` });
const wakeUps = async () => (await stage.queues.waiting(stage.queues.wakeUpUrl)).length;

describe('a task that succeeds', () => {
  it('is owned under a token and by a worker of its own while it runs', async () => {
    const id = await stage.queue('fulfill', { payload: { note: 'kept' } });
    await stage.claim({ newToken: () => 'ticket' });
    await stage.work(
      'fulfill',
      async (task, lease) => {
        expect(task).toMatchObject({ id, task: 'fulfill', eventId: 'evt_1', payload: { note: 'kept' }, attempt: 0 });
        expect(lease.claimToken).toBe('own');
        expect(await stage.row(id)).toMatchObject({ claimToken: 'own', workerId: 'run-1' });
        expect((await stage.row(id)).startedAt).not.toBeNull();
      },
      { newToken: () => 'own' },
    );
    expect(await stage.row(id)).toMatchObject({ status: 'succeeded', claimToken: null, workerId: null, dueInMs: null });
    expect(await wakeUps()).toBe(0);
  });

  it('wakes the claimer when more of its kind is due', async () => {
    await stage.queue('fulfill');
    await stage.queue('fulfill');
    await stage.claim({ maxInFlight: () => 1 });
    await stage.work('fulfill', ok);
    expect(await wakeUps()).toBe(1);
  });

  it('forgets earlier errors', async () => {
    const id = await stage.queue('fulfill');
    await stage.claim();
    await stage.work('fulfill', failingWith({}));
    await stage.makeDue(id);
    await stage.claim();
    await stage.work('fulfill', ok);
    expect(await stage.row(id)).toMatchObject({ status: 'succeeded', attempt: 1, lastError: null });
  });
});

describe('a message that is no good any more', () => {
  it('runs nothing when SQS delivers it twice', async () => {
    const id = await stage.queue('fulfill');
    await stage.claim();
    const [body = ''] = await stage.queues.waiting(stage.queues.urlOf('fulfill'));
    const ran: number[] = [];
    const handler = taskWorker(stage.runDeps, 'fulfill', async (task) => void ran.push(task.id));
    const responses = await Promise.all([handler(eventOf({ body }), context), handler(eventOf({ body }), context)]);
    expect(ran).toEqual([id]);
    expect(responses).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }]);
  });

  it('runs nothing when it comes after the task is done, or waits for another try', async () => {
    const id = await stage.queue('fulfill');
    await stage.claim();
    const [body = ''] = await stage.queues.waiting(stage.queues.urlOf('fulfill'));
    await stage.work('fulfill', failingWith({}));
    const ran: number[] = [];
    const handler = taskWorker(stage.runDeps, 'fulfill', async (task) => void ran.push(task.id));
    await handler(eventOf({ body }), context);
    await stage.makeDue(id);
    await stage.claim();
    await stage.work('fulfill', ok);
    await handler(eventOf({ body }), context);
    expect(ran).toEqual([]);
    expect(await stage.row(id)).toMatchObject({ status: 'succeeded' });
  });

  it.each(['', 'not json', '{"taskId":"1"}'])('is acknowledged when it says %j', async (body) => {
    const handler = taskWorker(stage.runDeps, 'fulfill', () => Promise.reject(new Error('must not run')));
    expect(await handler(eventOf({ body }), context)).toEqual({ batchItemFailures: [] });
  });

  it('counts as a failed try when it reached another task’s queue', async () => {
    const id = await stage.queue('fulfill');
    await stage.claim({ queueUrlOf: () => stage.queues.urlOf('reconcile_attempt') });
    const ran: number[] = [];
    await stage.work('reconcile_attempt', async (task) => void ran.push(task.id));
    expect(ran).toEqual([]);
    expect(await stage.row(id)).toMatchObject({ status: 'pending', attempt: 1, lastError: 'WrongQueue' });
  });
});

describe('a task that fails', () => {
  it.each([
    [{}, 'Failure'],
    [{ code: 'still_pending' }, 'Failure:still_pending'],
    [{ code: 42 }, 'Failure:42'],
    [{ code: 'jane@example.com asked' }, 'Failure'],
    [{ name: 'a name with blanks' }, 'UnknownError'],
    [{ status: 503 }, 'Failure:503'],
    [{ code: null, cause: { code: 'ECONNREFUSED' } }, 'Failure:ECONNREFUSED'],
  ])('keeps of %j no more than %s', async (fields, expected) => {
    const id = await stage.queue('fulfill');
    await stage.claim();
    await stage.work('fulfill', failingWith(fields));
    expect(await stage.row(id)).toMatchObject({ status: 'pending', lastError: expected });
  });

  it.each([undefined, null, 'text', 7])('may throw %j and still be recorded', async (thrown) => {
    const id = await stage.queue('fulfill');
    await stage.claim();
    await stage.work('fulfill', () => Promise.reject(thrown));
    expect(await stage.row(id)).toMatchObject({ status: 'pending', attempt: 1, lastError: 'UnknownError' });
  });

  it('is recorded also when the work throws before it is a promise', async () => {
    const id = await stage.queue('fulfill');
    await stage.claim();
    await stage.work('fulfill', () => {
      throw new Failure({});
    });
    expect(await stage.row(id)).toMatchObject({ status: 'pending', attempt: 1 });
  });

  it('asks for a wake-up when its backoff is over', async () => {
    const asked: (number | undefined)[] = [];
    const id = await stage.queue('fulfill');
    await stage.setAttempt(id, 3);
    await stage.claim();
    await stage.work('fulfill', failingWith({}), { wakeUp: async (delayMs) => void asked.push(delayMs) });
    expect(asked).toEqual([8_000]);
    const { dueInMs } = await stage.row(id);
    expect(dueInMs).toBeGreaterThan(0);
    expect(dueInMs).toBeLessThanOrEqual(8_000);
  });

  it('is given up at once when the failure is permanent', async () => {
    await insertPaidOrder(stage.db.owner, 'order_permanent');
    const id = await stage.queue('fulfill', { merchantOrderId: 'order_permanent' });
    await stage.claim();
    await stage.work('fulfill', failingWith({ permanent: true, code: 'gone' }));
    expect(await stage.row(id)).toMatchObject({ status: 'failed', attempt: 1, lastError: 'Failure:gone' });
    expect(await stage.pages()).toHaveLength(1);
    expect(await orderRow(stage.db.owner, 'order_permanent')).toMatchObject({ fulfillmentStatus: 'failed' });
  });

  it('does not fail the delivery of its order when it is another task', async () => {
    await insertPaidOrder(stage.db.owner, 'order_question');
    const id = await stage.queue('reconcile_session', { merchantOrderId: 'order_question' });
    await stage.claim();
    await stage.work('reconcile_session', failingWith({ permanent: true }));
    expect(await stage.row(id)).toMatchObject({ status: 'failed' });
    expect(await orderRow(stage.db.owner, 'order_question')).toMatchObject({ fulfillmentStatus: 'pending' });
  });

  it('leaves an order that was delivered all the same as delivered', async () => {
    await insertPaidOrder(stage.db.owner, 'order_delivered');
    await stage.db.owner`UPDATE merchant_orders SET fulfillment_status = 'fulfilled' WHERE id = 'order_delivered'`;
    await stage.queue('fulfill', { merchantOrderId: 'order_delivered' });
    await stage.claim();
    await stage.work('fulfill', failingWith({ permanent: true }));
    expect(await orderRow(stage.db.owner, 'order_delivered')).toMatchObject({ fulfillmentStatus: 'fulfilled' });
  });

  it('keeps a page that fails for good pending', async () => {
    const id = await stage.queue('page_outbox_failure');
    await stage.claim();
    await stage.work('page_outbox_failure', failingWith({ permanent: true }));
    expect(await stage.pages()).toMatchObject([{ id, status: 'pending', attempt: 1 }]);
  });
});

describe('a task that is woken while it runs', () => {
  it('is due again at once with a fresh set of tries', async () => {
    const id = await queueReprocessing('evt_woken');
    await stage.setAttempt(id, 4);
    await stage.claim();
    await stage.work('reprocess_webhook', async () => {
      await wake('evt_woken');
      throw new Failure({ code: 'order_unknown' });
    });
    const row = await stage.row(id);
    expect(row).toMatchObject({ status: 'pending', attempt: 0, woken: false });
    expect(row.dueInMs).toBeLessThanOrEqual(0);
    expect(await wakeUps()).toBeGreaterThan(0);
  });

  it('does not fail at the cap', async () => {
    const id = await queueReprocessing('evt_cap');
    await stage.setAttempt(id, MAX_ATTEMPT - 1);
    await stage.claim();
    await stage.work('reprocess_webhook', async () => {
      await wake('evt_cap');
      throw new Failure({ permanent: true });
    });
    expect(await stage.row(id)).toMatchObject({ status: 'pending', attempt: 0, lastError: 'Failure' });
    expect(await stage.pages()).toEqual([]);
  });

  it('comes back to life after it had failed', async () => {
    const id = await queueReprocessing('evt_late');
    await stage.setAttempt(id, MAX_ATTEMPT - 1);
    await stage.claim();
    await stage.work('reprocess_webhook', failingWith({}));
    expect(await stage.row(id)).toMatchObject({ status: 'failed' });
    await wake('evt_late');
    await stage.claim();
    await stage.work('reprocess_webhook', ok);
    expect(await stage.row(id)).toMatchObject({ status: 'succeeded', attempt: 0 });
  });
});

describe('the page of a task that was revived and failed again', () => {
  it('is sent again once the first had been delivered', async () => {
    const id = await stage.queue('reconcile_session', { dedupeKey: 'twice' });
    const failForGood = async () => {
      await stage.claim();
      await stage.work('reconcile_session', failingWith({ permanent: true }));
    };
    await failForGood();
    await stage.claim();
    await stage.work('page_outbox_failure', ok);
    await stage.queue('reconcile_session', { dedupeKey: 'twice' });
    expect(await stage.row(id)).toMatchObject({ status: 'pending', attempt: 0 });

    await failForGood();
    expect(await stage.pages()).toMatchObject([{ status: 'pending', attempt: 0 }]);
  });

  it('is one page while the first still waits', async () => {
    const id = await stage.queue('reconcile_session');
    const failed = { id, task: 'reconcile_session', eventId: 'evt_1', merchantOrderId: null } as const;
    for (const errorName of ['First', 'Second']) {
      const failure = { errorName, errorCode: null };
      await inTransaction(stage.db.app, async (tx) => ({ result: null, writes: [queuePage(tx, failed, failure)] }));
    }
    expect(await stage.pages()).toMatchObject([{ status: 'pending', payload: { errorName: 'First' } }]);
  });
});

describe('the invocation', () => {
  it('gives up in time to record it, also on work that cannot be aborted', async () => {
    const id = await stage.queue('fulfill');
    const hand = handTimers();
    const begun = Promise.withResolvers<AbortSignal>();
    await stage.claim();
    const ended = stage.work(
      'fulfill',
      (_task, { signal }) => {
        begun.resolve(signal);
        return new Promise(() => undefined);
      },
      { timers: hand.timers },
    );
    const signal = await begun.promise;
    expect(hand.delays).toEqual([48_000]);
    hand.timeIsUp();
    expect(await ended).toEqual({ batchItemFailures: [] });
    expect(signal.reason).toMatchObject({ name: 'OutOfTime' });
    expect(await stage.row(id)).toMatchObject({ status: 'pending', attempt: 1, lastError: 'OutOfTime' });
    expect(hand.running()).toBe(0);
  });

  it('leaves no timer behind, whatever came of the task', async () => {
    const hand = handTimers();
    for (const work of [ok, failingWith({}), failingWith({ permanent: true })]) {
      await stage.queue('reconcile_attempt');
      await stage.claim();
      await stage.work('reconcile_attempt', work, { timers: hand.timers });
    }
    expect(hand.intervals).toEqual([LEASE_MS / 3, LEASE_MS / 3, LEASE_MS / 3]);
    expect(hand.running()).toBe(0);
  });

  it('waits for a renewal that is under way before it writes the outcome', async () => {
    const id = await stage.queue('fulfill');
    const hand = handTimers();
    await stage.claim();
    await stage.work('fulfill', async () => hand.beat(), { timers: hand.timers });
    expect(await stage.row(id)).toMatchObject({ status: 'succeeded' });
  });

  it('hands the message back when the database is away before the task is owned', async () => {
    const id = await stage.queue('fulfill');
    await stage.claim();
    const away = connect({ url: 'postgres://x:y@127.0.0.1:1/z', max: 1, connectTimeoutSeconds: 1 });
    expect((await stage.work('fulfill', ok, { sql: away })).batchItemFailures).toHaveLength(1);
    await away.end({ timeout: 0 });
    expect(await stage.row(id)).toMatchObject({ status: 'processing', startedAt: null });
  });

  it('changes nothing on a row that was finished while it ran', async () => {
    const id = await stage.queue('fulfill');
    await stage.claim();
    const response = await stage.work('fulfill', async (task) => {
      expect(await finishTask(stage.db.app, task)).toBe(true);
      throw new Failure({});
    });
    expect(response).toEqual({ batchItemFailures: [] });
    expect(await stage.row(id)).toMatchObject({ status: 'succeeded', attempt: 0 });
  });
});

it('work that had failed for good and is asked for anew gets a fresh set of tries, other work is not touched', async () => {
  const id = await stage.queue('fulfill', { dedupeKey: 'fulfill:again' });
  await stage.setAttempt(id, 5);
  const again = { task: 'fulfill', merchantOrderId: null, clinkOrderId: null, payload: {}, dedupeKey: 'fulfill:again' };
  const ask = () =>
    inTransaction(stage.db.app, async (tx) => ({
      result: null,
      writes: [queueTask(tx, 'evt_2', { ...again, task: 'fulfill' })],
    }));
  await ask();
  expect(await stage.row(id)).toMatchObject({ status: 'pending', attempt: 5 });
  await stage.db.owner`UPDATE outbox SET status = 'failed' WHERE id = ${id}`;
  await ask();
  expect(await stage.row(id)).toMatchObject({ status: 'pending', attempt: 0 });
});
