import { expect, it } from 'vitest';
import { decideEvent } from '../../functions/decisions/decide-event.ts';
import { attempt, merchantOrder, ORDER_ID, orderEvent, T } from '../support/clink-events.ts';

it('a success that waits for its order’s answer is not closed by an answer about the session', () => {
  const failed = attempt({ clinkOrderId: 'order_A', status: 'failed', lastEventCreated: T + 5 });
  const unordered = attempt({ clinkOrderId: 'order_B', status: 'action_required', attemptCreatedAt: null });
  const success = orderEvent('order.succeeded', { clinkOrderId: 'order_A', created: T + 1 });
  const decision = decideEvent(success, {
    order: merchantOrder(),
    attempts: [failed, unordered],
    storedAttempt: failed,
    storedRefund: null,
    refunds: [],
  });
  expect(decision).toMatchObject({
    outcome: 'deferred',
    reason: 'success_contradicts_status',
    merchantOrderId: ORDER_ID,
  });
  expect(decision.tasks.map(({ task }) => task)).toEqual(['reconcile_attempt', 'reprocess_webhook']);
});
