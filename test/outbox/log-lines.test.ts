import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { finishTask } from '../../functions/database/outbox.ts';
import { dispatch } from '../../functions/outbox/dispatch.ts';
import type { Work } from '../../functions/outbox/run-task.ts';
import { taskWorker } from '../../functions/outbox/task-worker.ts';
import { log } from '../../functions/platform/log.ts';
import { eventOf } from '../support/queues.ts';
import { watchedSql } from './failing-sql.ts';
import { handTimers } from './hand-timers.ts';
import { type Stage, setStage } from './stage.ts';

/** What an operator reads of a task's way: every line leads to the row, and from there to the event. */

let stage: Stage;
let lines: [level: string, code: string, fields: unknown][];
beforeAll(async () => {
  stage = await setStage();
});
beforeEach(() => {
  lines = [];
  for (const level of ['info', 'warn', 'error'] as const) {
    vi.spyOn(log, level).mockImplementation((code, fields) => void lines.push([level, code, fields]));
  }
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const ok: Work = async () => undefined;
const context = { awsRequestId: 'run-1', getRemainingTimeInMillis: () => 60_000 };
const ofTask = (taskId: number) => ({ taskId, task: 'fulfill', eventId: 'evt_1' });
const REFUSED = { errorName: 'PostgresError', errorCode: '57014' };

async function claimed(): Promise<number> {
  const id = await stage.queue('fulfill');
  await stage.claim();
  lines = [];
  return id;
}

describe('the claimer says', () => {
  it('how many tickets of each task it sent', async () => {
    await stage.queue('fulfill');
    await stage.claim();
    expect(lines).toEqual([['info', 'tasks_claimed', { task: 'fulfill', sent: 1, returned: 0, exhausted: 0 }]]);
  });

  it('once for each run that a task could not be claimed', async () => {
    await stage.queue('fulfill');
    await stage.queue('reconcile_attempt');
    const maxInFlight = (task: string) => {
      if (task === 'fulfill') throw Object.assign(new Error('text'), { code: 'cannot_say' });
      return 10;
    };
    await expect(stage.claim({ maxInFlight, hasTime: () => true })).rejects.toThrow();
    expect(lines.filter(([level]) => level === 'error')).toEqual([
      ['error', 'claim_failed', { task: 'fulfill', errorName: 'Error', errorCode: 'cannot_say' }],
    ]);
  });

  it('which ticket could not be sent', async () => {
    const id = await stage.queue('fulfill');
    await stage.claim({ send: () => Promise.reject(new Error('SQS is not there')) });
    expect(lines[0]).toEqual(['warn', 'ticket_not_sent', { ...ofTask(id), errorName: 'Error', errorCode: null }]);
  });
});

describe('the worker says', () => {
  it('that a task succeeded', async () => {
    const id = await claimed();
    await stage.work('fulfill', ok);
    expect(lines).toEqual([['info', 'task_succeeded', ofTask(id)]]);
  });

  it('that it will be tried again, and when', async () => {
    const id = await claimed();
    await stage.work('fulfill', () => Promise.reject(new Error('text from outside')));
    const failure = { errorName: 'Error', errorCode: null };
    expect(lines).toEqual([['warn', 'task_to_be_retried', { ...ofTask(id), attempt: 1, delayMs: 1_000, ...failure }]]);
  });

  it('that it was given up', async () => {
    const id = await claimed();
    await stage.work('fulfill', () => Promise.reject(Object.assign(new Error('text'), { permanent: true })));
    const failure = { errorName: 'Error', errorCode: null };
    expect(lines).toEqual([['error', 'task_exhausted', { ...ofTask(id), attempt: 1, ...failure }]]);
  });

  it('that it will be tried again, and not that it was given up, when it was woken meanwhile', async () => {
    const id = await claimed();
    await stage.work('fulfill', async () => {
      await stage.db.owner`UPDATE outbox SET woken = TRUE WHERE id = ${id}`;
      throw Object.assign(new Error('text'), { permanent: true });
    });
    expect(lines.map(([, code]) => code)).toEqual(['task_to_be_retried']);
  });

  it('that a ticket was no good any more', async () => {
    const id = await claimed();
    await stage.expireLease(id);
    await stage.work('fulfill', ok);
    expect(lines).toEqual([['info', 'ticket_not_good_any_more', ofTask(id)]]);
  });

  it.each(['succeeded', 'failed'])('that the outcome was not written, for a task that %s', async (outcome) => {
    const id = await claimed();
    await stage.work('fulfill', async (task) => {
      await finishTask(stage.db.app, task);
      if (outcome === 'failed') throw new Error('text');
    });
    expect(lines).toEqual([['warn', 'outcome_discarded', ofTask(id)]]);
  });

  it('that the lease was lost, and nothing else about that task', async () => {
    const id = await claimed();
    const hand = handTimers();
    const work: Work = async (_task, { signal }) => {
      await stage.db.owner`UPDATE outbox SET claim_token = 'of another' WHERE id = ${id}`;
      hand.beat();
      await new Promise<void>((lost) => signal.addEventListener('abort', () => lost()));
      throw signal.reason;
    };
    await stage.work('fulfill', work, { timers: hand.timers });
    expect(lines).toEqual([['warn', 'lease_lost', ofTask(id)]]);
  });

  it('that the lease was lost because the database refused to renew it', async () => {
    const id = await claimed();
    const hand = handTimers();
    const { sql } = watchedSql(stage.db.app, 'SET lease_until = now()');
    const work: Work = async (_task, lease) => lease.ensureOwned();
    await stage.work('fulfill', work, { sql, timers: hand.timers });
    expect(lines).toEqual([['warn', 'lease_lost', { ...ofTask(id), ...REFUSED }]]);
  });

  it('that it could not look for more work, which does not undo the outcome', async () => {
    const id = await claimed();
    const { sql } = watchedSql(stage.db.app, 'SELECT EXISTS');
    expect(await stage.work('fulfill', ok, { sql })).toEqual({ batchItemFailures: [] });
    expect(lines).toEqual([
      ['info', 'task_succeeded', ofTask(id)],
      ['warn', 'backlog_unknown', { task: 'fulfill', ...REFUSED }],
    ]);
    expect(await stage.row(id)).toMatchObject({ status: 'succeeded' });
  });

  it('which message was malformed', async () => {
    await taskWorker(stage.runDeps, 'fulfill', ok)(eventOf({ body: 'x', messageId: 'message-7' }), context);
    expect(lines).toEqual([['error', 'ticket_malformed', { task: 'fulfill', messageId: 'message-7' }]]);
  });

  it('which message goes back because of the database', async () => {
    const body = JSON.stringify({ taskId: 7, claimToken: 'ticket', eventId: 'evt_1' });
    const { sql } = watchedSql(stage.db.app, 'UPDATE outbox');
    const handler = taskWorker({ ...stage.runDeps, sql }, 'fulfill', ok);
    expect(await handler(eventOf({ body, messageId: 'message-7' }), context)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'message-7' }],
    });
    expect(lines).toEqual([['error', 'database_unreachable', { ...ofTask(7), ...REFUSED }]]);
  });
});

it('a dispatch that can neither send nor give back is a failure of the claimer', async () => {
  await stage.queue('fulfill');
  const { sql } = watchedSql(stage.db.app, "SET status = 'pending'");
  const send = () => Promise.reject(new Error('SQS is not there'));
  await expect(stage.claim({ sql, send })).rejects.toMatchObject({ code: '57014' });
});

it('a task that used up its tries and was woken since is given back', async () => {
  const id = await claimed();
  await stage.db.owner`UPDATE outbox SET woken = TRUE WHERE id = ${id}`;
  const { claimToken = '' } = { ...(await stage.row(id)) } as { claimToken?: string };
  const ticket = { id, task: 'fulfill' as const, eventId: 'evt_1', merchantOrderId: null, claimToken, attempt: 12 };
  expect(await dispatch(stage.claimDeps, ticket)).toBe('returned');
  expect(await stage.row(id)).toMatchObject({ status: 'pending', attempt: 0 });
});
