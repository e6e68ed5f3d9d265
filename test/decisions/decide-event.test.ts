import { describe, expect, it } from 'vitest';
import { decideEvent, type EventFacts } from '../../functions/decisions/decide-event.ts';
import {
  attempt,
  merchantOrder,
  ORDER_ID,
  orderEvent,
  paidOrder,
  refundEvent,
  sessionEvent,
  T,
} from '../support/clink-events.ts';

const NOTHING: EventFacts = { order: null, attempts: [], storedAttempt: null, storedRefund: null, refunds: [] };

describe('deciding an event of any kind', () => {
  it('event_type_not_handled: a type this backend does not act on is done, and changes nothing', () => {
    const decision = decideEvent({ kind: 'other', id: 'event_1', type: 'invoice.paid', created: T }, NOTHING);
    expect(decision).toMatchObject({ outcome: 'done', reason: 'event_type_not_handled', tasks: [], orderPatch: {} });
    expect(decision.merchantOrderId).toBeNull();
  });

  it.each([
    ['an order event', orderEvent('order.succeeded'), NOTHING],
    ['a session event', sessionEvent('session.complete'), NOTHING],
    ['a refund event', refundEvent(), NOTHING],
  ])('%s that is deferred carries the task that looks at it again', (_kind, event, facts) => {
    const { outcome, tasks } = decideEvent(event, facts);
    expect(outcome).toBe('deferred');
    expect(tasks).toEqual([
      {
        task: 'reprocess_webhook',
        merchantOrderId: null,
        clinkOrderId: event.clinkOrderId,
        payload: {},
        dedupeKey: `reprocess_webhook:${event.id}`,
      },
    ]);
  });

  it.each([
    ['an order event', orderEvent('order.created'), merchantOrder(), 'attempt_inserted'],
    ['a session event', sessionEvent('session.complete'), merchantOrder(), 'session_advanced'],
  ])('%s is decided as what it is', (_kind, event, order, reason) => {
    expect(decideEvent(event, { ...NOTHING, order }).reason).toBe(reason);
  });

  it('a refund event is decided by the attempt that is stored under its id', () => {
    const facts = { ...NOTHING, order: paidOrder(), storedAttempt: attempt({ status: 'succeeded' }) };
    expect(decideEvent(refundEvent(), facts).reason).toBe('refund_booked');
  });

  it('that task comes behind what the deferred event asks for itself', () => {
    const facts = { ...NOTHING, order: merchantOrder() };
    const { tasks } = decideEvent(orderEvent('order.failed'), facts);
    expect(tasks.map(({ task, merchantOrderId }) => [task, merchantOrderId])).toEqual([
      ['reconcile_session', ORDER_ID],
      ['reprocess_webhook', ORDER_ID],
    ]);
  });

  it('an event that is done, or a case, carries no such task', () => {
    const facts = { ...NOTHING, order: merchantOrder(), attempts: [attempt()], storedAttempt: attempt() };
    const done = decideEvent(orderEvent('order.succeeded', { created: T + 1 }), facts);
    const review = decideEvent(orderEvent('order.succeeded', { clinkSessionId: 'sess_other' }), facts);
    expect(done.tasks.map(({ task }) => task)).toEqual(['fulfill']);
    expect(review.tasks.map(({ task }) => task)).toEqual(['manual_reconciliation']);
  });
});
