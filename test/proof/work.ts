import type { Sql } from '../../functions/database/connection.ts';
import type { TaskName } from '../../functions/decisions/decision.ts';
import { reconcileAttempt } from '../../functions/flows/reconcile-attempt.ts';
import { reconcileRefund } from '../../functions/flows/reconcile-refund.ts';
import { reconcileSession } from '../../functions/flows/reconcile-session.ts';
import { reprocessEvent } from '../../functions/flows/reprocess-event.ts';
import type { AnswerFlow } from '../../functions/flows/settle-from-answer.ts';
import type { RunDeps, Work } from '../../functions/outbox/run-task.ts';
import type { Timers } from '../../functions/outbox/timers.ts';
import type { ClinkTruth } from '../support/memory-store.ts';

/** The real flows, with a truth for Clink and no clock of their own. */
export function answerFlow(sql: Sql, truth: ClinkTruth): AnswerFlow {
  return {
    sql,
    wakeUp: async () => undefined,
    clink: { getOrder: async (id) => truth.order(id), getSession: async (id) => truth.session(id) },
  };
}

/** What the worker of each question does. */
export function questionWorks(flow: AnswerFlow): Partial<Record<TaskName, Work>> {
  return {
    reprocess_webhook: ({ eventId }, { signal }) => reprocessEvent(flow, eventId, signal),
    reconcile_attempt: ({ eventId, clinkOrderId }, { signal }) =>
      reconcileAttempt(flow, { eventId, clinkOrderId: clinkOrderId ?? '', signal }),
    reconcile_session: ({ eventId, merchantOrderId }, { signal }) =>
      reconcileSession(flow, { eventId, merchantOrderId: merchantOrderId ?? '', signal }),
    refund_reconcile: ({ eventId, merchantOrderId, clinkOrderId, payload: { refundId } }, { signal }) => {
      const ids = { merchantOrderId: merchantOrderId ?? '', clinkOrderId: clinkOrderId ?? '' };
      return reconcileRefund(flow, { ...ids, eventId, refundId: String(refundId), signal });
    },
  };
}

/** Neither beats nor ends: a proof says itself what happens when. */
const NO_TIMERS: Timers = { every: () => () => undefined, after: () => () => undefined };
export const LEASE_MS = 300_000;

export function runDeps(sql: Sql, newToken: () => string, maxAttempt: number): RunDeps {
  return {
    sql,
    wakeUp: async () => undefined,
    leaseMs: LEASE_MS,
    maxAttempt,
    newToken,
    timers: NO_TIMERS,
    // Long enough that no task comes due by itself while a proof looks.
    backoff: { baseMs: 3_600_000, maxMs: 3_600_000 },
    random: () => 0.5,
  };
}
