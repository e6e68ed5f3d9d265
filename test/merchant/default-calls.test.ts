import { expect, test } from 'vitest';

import { alertingByCall } from '../../functions/merchant/alerting.ts';
import { fulfillmentByCall } from '../../functions/merchant/fulfillment.ts';
import { deskByCall } from '../../functions/merchant/reconciliation-desk.ts';
import { refundPolicyByCall } from '../../functions/merchant/refund-policy.ts';
import type { SignedCall } from '../../functions/merchant/signed-call.ts';

const { signal } = new AbortController();

function recordedCall(): { call: SignedCall; calls: unknown[][] } {
  const calls: unknown[][] = [];
  return { call: async (...given) => void calls.push(given), calls };
}

test('fulfilment goes out under the merchant order, with the event that proved the payment', async () => {
  const { call, calls } = recordedCall();
  const order = {
    merchantOrderId: 'm-1001',
    clinkOrderId: 'order_1',
    customerId: 'customer-1',
    product: { id: 'book', name: 'Handbook', quantity: 2 },
    amount: '19.98',
    currency: 'USD',
  };
  await fulfillmentByCall(call).fulfill(order, { idempotencyKey: 'm-1001', eventId: 'event_1', signal });
  const data = { ...order, eventId: 'event_1' };
  expect(calls).toEqual([['/fulfillment', 'fulfillment.requested', data, { idempotencyKey: 'm-1001', signal }]]);
});

test('the refund policy gets the cumulative amount', async () => {
  const { call, calls } = recordedCall();
  const state = {
    merchantOrderId: 'm-1001',
    refundId: 'rfd_1',
    orderStatus: 'partial_refunded',
    refundedAmount: '5.00',
    paymentCurrency: 'USD',
  } as const;
  await refundPolicyByCall(call).apply(state, { idempotencyKey: 'rfd_1', signal });
  expect(calls).toEqual([['/refund-policy', 'refund_policy.requested', state, { idempotencyKey: 'rfd_1', signal }]]);
});

test('a case goes to the desk under its key', async () => {
  const { call, calls } = recordedCall();
  const deskCase = {
    caseKey: 'invalid_refund:rfd_1',
    merchantOrderId: 'm-1001',
    clinkOrderId: 'order_1',
    refundId: 'rfd_1',
    eventId: 'event_1',
    reason: 'invalid_refund_record',
    evidence: { amount: '0' },
  };
  await deskByCall(call).openOrUpdate(deskCase, { idempotencyKey: deskCase.caseKey, signal });
  expect(calls).toEqual([['/cases', 'case.opened', deskCase, { idempotencyKey: 'invalid_refund:rfd_1', signal }]]);
});

test('an alert goes out under its dedupe key', async () => {
  const { call, calls } = recordedCall();
  const alert = { dedupeKey: 'outbox:7', title: 'A task failed', context: { taskId: 7, task: 'fulfill' } };
  await alertingByCall(call).openOrUpdate(alert, { signal });
  expect(calls).toEqual([['/alerts', 'alert.opened', alert, { idempotencyKey: 'outbox:7', signal }]]);
});
