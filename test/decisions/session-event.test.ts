import { describe, expect, it } from 'vitest';
import { decideSessionEvent } from '../../functions/decisions/session-event.ts';
import { merchantOrder, ORDER_ID, SESSION_ID, sessionEvent, T } from '../support/clink-events.ts';

const ended = merchantOrder({ sessionStatus: 'completed', sessionEventCreated: T });
const complete = sessionEvent('session.complete');

describe('session events that are done', () => {
  it.each([
    ['session_advanced', 'complete', complete, merchantOrder(), { sessionStatus: 'completed', sessionEventCreated: T }],
    [
      'session_advanced',
      'expired',
      sessionEvent('session.expired'),
      merchantOrder(),
      { sessionStatus: 'expired', sessionEventCreated: T },
    ],
    [
      'session_advanced',
      'no status in the body',
      sessionEvent('session.complete', { statedStatus: null }),
      merchantOrder(),
      { sessionStatus: 'completed', sessionEventCreated: T },
    ],
    [
      'session_advanced',
      'a later end of the other kind',
      sessionEvent('session.expired', { created: T + 1 }),
      ended,
      { sessionStatus: 'expired', sessionEventCreated: T + 1 },
    ],
    [
      'session_advanced',
      'a later end of the same kind',
      sessionEvent('session.complete', { created: T + 1 }),
      ended,
      { sessionStatus: 'completed', sessionEventCreated: T + 1 },
    ],
    ['session_event_repeated', 'the same end again', complete, ended, {}],
    [
      'session_event_outdated',
      'an earlier end of the other kind',
      sessionEvent('session.expired', { created: T - 1 }),
      ended,
      {},
    ],
  ])('%s: %s', (reason, _what, event, order, orderPatch) => {
    const decision = decideSessionEvent(event, order);
    expect(decision).toMatchObject({ outcome: 'done', reason, tasks: [], review: null });
    expect(decision.orderPatch).toEqual(orderPatch);
    expect(decision.paymentStatusAfter).toBe(order.paymentStatus);
  });
});

describe('session events that wait', () => {
  it.each([
    ['reference_missing', 'no reference', sessionEvent('session.complete', { merchantOrderId: null }), null],
    ['order_unknown', 'a reference to no order of ours', complete, null],
    ['session_not_saved_yet', 'our session id is not saved', complete, merchantOrder({ clinkSessionId: null })],
  ])('%s: %s', (reason, _what, event, order) => {
    const decision = decideSessionEvent(event, order);
    expect(decision).toMatchObject({ outcome: 'deferred', reason, tasks: [], review: null });
    expect(decision.orderPatch).toEqual({});
  });
});

describe('session events for a person', () => {
  it.each([
    ['session_event_missing_required_identifier', 'no session', { clinkSessionId: null }, 'missing', merchantOrder()],
    ['session_event_ownership_conflict', 'a foreign session', { clinkSessionId: 'sess_2' }, 'sess_2', merchantOrder()],
    ['session_event_invalid_created', 'no usable time', { created: null }, SESSION_ID, merchantOrder()],
    ['session_event_status_mismatch', 'another status', { statedStatus: 'expired' }, SESSION_ID, merchantOrder()],
    [
      'session_terminal_same_version_conflict',
      'the other end in one millisecond',
      {},
      SESSION_ID,
      merchantOrder({ sessionStatus: 'expired', sessionEventCreated: T }),
    ],
  ])('%s: %s', (reason, _what, fields, keyedBy, order) => {
    const event = sessionEvent('session.complete', fields);
    const decision = decideSessionEvent(event, order);
    const dedupeKey = `session_review:${ORDER_ID}:${reason}:session.complete:${keyedBy}`;
    expect(decision).toMatchObject({
      outcome: 'manual_review',
      reason,
      review: { reason, dedupeKey, merchantOrderId: ORDER_ID, evidence: { eventId: event.id } },
      tasks: [{ task: 'manual_reconciliation', payload: { caseKey: dedupeKey } }],
    });
    expect(decision.orderPatch).toEqual({});
  });

  it('a foreign session is not a case while our own is not saved, but a missing one is', () => {
    const early = merchantOrder({ clinkSessionId: null });
    const foreign = sessionEvent('session.complete', { clinkSessionId: 'sess_2' });
    const missing = sessionEvent('session.complete', { clinkSessionId: null });
    expect(decideSessionEvent(foreign, early).outcome).toBe('deferred');
    expect(decideSessionEvent(missing, early).outcome).toBe('manual_review');
  });

  it('shows no more of a stated status than a case can hold', () => {
    const event = sessionEvent('session.complete', { statedStatus: 'x'.repeat(500) });
    expect(decideSessionEvent(event, merchantOrder()).review?.evidence).toMatchObject({
      incoming: { status: 'x'.repeat(64) },
    });
  });
});
