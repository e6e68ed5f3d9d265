import { describe, expect, it } from 'vitest';
import { decideSessionAnswer, type SessionAnswerFacts } from '../../functions/decisions/session-answer.ts';
import { attempt, merchantOrder, ORDER_ID, paidOrder, SESSION_ID, sessionAnswer, T } from '../support/clink-events.ts';

const EVENT_ID = 'event_1';
const a = attempt({ status: 'failed', attemptCreatedAt: null });
const b = attempt({ clinkOrderId: 'order_B', status: 'action_required' });
const snapshot = { order: merchantOrder(), attempts: [a, b] };
const still: SessionAnswerFacts = { ...snapshot, snapshot, namedAttempt: a };

describe('answers about a session that settle it', () => {
  it.each([
    ['the failed one', sessionAnswer(), still, 'order_A', 'payment_failed'],
    [
      'the one that needs an action',
      sessionAnswer({ clinkOrderId: 'order_B' }),
      { ...still, namedAttempt: b },
      'order_B',
      'action_required',
    ],
    [
      'one beside a payment',
      sessionAnswer(),
      { ...still, order: paidOrder(), snapshot: { ...snapshot, order: paidOrder() } },
      'order_A',
      'paid',
    ],
  ])('current_attempt_confirmed_by_session: %s', (_what, answer, facts, currentClinkOrderId, paymentStatusAfter) => {
    const decision = decideSessionAnswer(EVENT_ID, answer, facts);
    expect(decision).toMatchObject({
      outcome: 'done',
      reason: 'current_attempt_confirmed_by_session',
      merchantOrderId: ORDER_ID,
      clinkOrderId: currentClinkOrderId,
      orderPatch: { currentClinkOrderId, currentAttemptConfirmed: true },
      attemptPatch: null,
      tasks: [],
      review: null,
      paymentStatusAfter,
    });
  });

  it('row order is no movement', () => {
    const decision = decideSessionAnswer(EVENT_ID, sessionAnswer(), { ...still, attempts: [b, a] });
    expect(decision.reason).toBe('current_attempt_confirmed_by_session');
  });
});

describe('answers about a session that settle nothing yet', () => {
  it.each([
    ['local_state_moved', 'a new attempt', sessionAnswer(), { attempts: [a, b, attempt({ clinkOrderId: 'order_C' })] }],
    ['local_state_moved', 'a status', sessionAnswer(), { attempts: [{ ...a, status: 'succeeded' as const }, b] }],
    ['local_state_moved', 'a newer event', sessionAnswer(), { attempts: [{ ...a, lastEventCreated: T + 1 }, b] }],
    ['local_state_moved', 'a creation', sessionAnswer(), { attempts: [{ ...a, attemptCreatedAt: T }, b] }],
    ['local_state_moved', 'the pointer', sessionAnswer(), { order: merchantOrder({ currentClinkOrderId: 'order_B' }) }],
    [
      'local_state_moved',
      'its confirmation',
      sessionAnswer(),
      { order: merchantOrder({ currentAttemptConfirmed: true }) },
    ],
    ['session_without_current_attempt', 'none named', sessionAnswer({ clinkOrderId: null }), { namedAttempt: null }],
    ['session_attempt_missing', 'one not seen yet', sessionAnswer({ clinkOrderId: 'order_C' }), { namedAttempt: null }],
  ])('%s: %s', (reason, _what, answer, moved) => {
    const decision = decideSessionAnswer(EVENT_ID, answer, { ...still, ...moved });
    expect(decision).toMatchObject({ outcome: 'deferred', reason, review: null, tasks: [] });
    expect(decision.orderPatch).toEqual({});
  });
});

describe('answers about a session that name an attempt', () => {
  it('local_state_moved: digits that have moved from one time to the next are a movement', () => {
    const before = { order: merchantOrder(), attempts: [{ ...a, attemptCreatedAt: 1, lastEventCreated: 23 }] };
    const attempts = [{ ...a, attemptCreatedAt: 12, lastEventCreated: 3 }];
    const facts = { ...before, attempts, snapshot: before, namedAttempt: a };
    expect(decideSessionAnswer(EVENT_ID, sessionAnswer(), facts).reason).toBe('local_state_moved');
  });

  it('attempt_order_ambiguous: which is not among those of the order', () => {
    const decision = decideSessionAnswer(EVENT_ID, sessionAnswer({ clinkOrderId: 'order_C' }), {
      ...still,
      namedAttempt: attempt({ clinkOrderId: 'order_C' }),
    });
    expect(decision).toMatchObject({ outcome: 'deferred', reason: 'attempt_order_ambiguous' });
  });
});

describe('answers about a session for a person', () => {
  const responseKey = `session_response_conflict:${ORDER_ID}:${SESSION_ID}`;
  const orderKey = `session_order_conflict:${ORDER_ID}:order_A`;

  it.each([
    [
      'session_response_ownership_conflict',
      'another session',
      sessionAnswer({ clinkSessionId: 'sess_2' }),
      a,
      responseKey,
    ],
    [
      'session_response_ownership_conflict',
      'another order',
      sessionAnswer({ merchantOrderId: 'mo_2' }),
      a,
      responseKey,
    ],
    ['session_response_ownership_conflict', 'no order', sessionAnswer({ merchantOrderId: null }), a, responseKey],
    [
      'session_order_ownership_conflict',
      "another order's attempt",
      sessionAnswer(),
      { ...a, merchantOrderId: 'mo_2' },
      orderKey,
    ],
    [
      'session_order_ownership_conflict',
      "another session's attempt",
      sessionAnswer(),
      { ...a, clinkSessionId: 'sess_2' },
      orderKey,
    ],
  ])('%s: %s', (reason, _what, answer, namedAttempt, dedupeKey) => {
    const decision = decideSessionAnswer(EVENT_ID, answer, { ...still, namedAttempt });
    expect(decision).toMatchObject({
      outcome: 'manual_review',
      reason,
      review: { reason, dedupeKey, evidence: { requestedSessionId: SESSION_ID } },
      tasks: [{ task: 'manual_reconciliation', payload: { caseKey: dedupeKey } }],
    });
    expect(decision.orderPatch).toEqual({});
  });
});
