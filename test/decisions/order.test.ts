import { expect, it } from 'vitest';
import { ATTEMPT_STATUS_OF_EVENT, REFUND_EVENT, SESSION_STATUS_OF_EVENT } from '../../functions/decisions/event.ts';
import { isPaid } from '../../functions/decisions/order.ts';
import { paymentStatusOf } from '../../functions/decisions/payment-status.ts';
import { merchantOrder } from '../support/clink-events.ts';

it.each([
  ['created', false],
  ['pending', false],
  ['action_required', false],
  ['payment_failed', false],
  ['paid', true],
  ['partial_refunded', true],
  ['refunded', true],
] as const)('an order that is %s has been paid: %s', (status, expected) => {
  expect(isPaid(status)).toBe(expected);
});

it('an order that nobody has tried to pay is pending', () => {
  expect(paymentStatusOf(merchantOrder(), [])).toBe('pending');
});

it('these are the events that something follows from, by the names that Clink gives them', () => {
  expect([...ATTEMPT_STATUS_OF_EVENT.keys()]).toEqual([
    'order.created',
    'order.next_action',
    'order.succeeded',
    'order.failed',
  ]);
  expect([...SESSION_STATUS_OF_EVENT.keys()]).toEqual(['session.complete', 'session.expired']);
  expect(REFUND_EVENT).toBe('refund.succeeded');
});
