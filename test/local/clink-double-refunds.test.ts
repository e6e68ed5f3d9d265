import { expect, test } from 'vitest';
import type { ClinkDouble } from '../../bin/local/clink-double/server.ts';
import { apiData, control, openSession, readLedger, startDouble, startReceiver } from './clink-double-fixture.ts';

async function paidOrder(double: ClinkDouble): Promise<string> {
  const { sessionId } = await openSession(double);
  const { orderId } = await control(double, 'POST', `/sessions/${sessionId}/pay`, { outcome: 'success' });
  return String(orderId);
}

const refundByForm = (double: ClinkDouble, orderId: string, amount: string): Promise<Response> =>
  fetch(`${double.url}/dashboard/orders/${orderId}/refund`, {
    method: 'POST',
    body: new URLSearchParams({ amount }),
    redirect: 'manual',
  });

test('the event comes first, the status later: in part, then in full', async () => {
  const merchant = await startReceiver();
  let clock = Date.now();
  const double = await startDouble({ webhookUrl: () => merchant.url, now: () => clock });
  const orderId = await paidOrder(double);
  const status = async () => (await apiData(double, `/order/${orderId}`)).status;

  const { refundId } = await control(double, 'POST', `/orders/${orderId}/refund`, { amount: '9.98' });
  const webhook = (await merchant.received(4))[3];
  expect(webhook?.type).toBe('refund.succeeded');
  expect(webhook?.object).toMatchObject({
    refundId,
    orderId,
    refundAmount: 9.98,
    refundCurrency: 'USD',
    status: 'success',
    refundMerchantOrderId: expect.stringMatching(/^rf_/),
  });
  expect(await status()).toBe('success');
  clock += 200;
  expect(await status()).toBe('partial_refunded');

  await control(double, 'POST', `/orders/${orderId}/refund`, { amount: 30 });
  expect(await status()).toBe('partial_refunded');
  clock += 200;
  expect(await status()).toBe('refunded');
});

test('a script may name the status, the currency and any amount', async () => {
  const double = await startDouble();
  const orderId = await paidOrder(double);
  await control(double, 'POST', `/orders/${orderId}/refund`, { amount: 1, orderStatus: 'refunded' });
  expect(await apiData(double, `/order/${orderId}`)).toMatchObject({ status: 'refunded' });
  await control(double, 'POST', `/orders/${orderId}/refund`, { amount: '1000.00', currency: 'EUR', webhooks: 'hold' });
  const { refunds, deliveries } = await readLedger(double.url);
  expect(refunds[1]).toMatchObject({ refundAmount: 1000, refundCurrency: 'EUR' });
  expect(deliveries.at(-1)).toMatchObject({ type: 'refund.succeeded', state: 'held' });
});

test('the time until the status follows is a knob', async () => {
  const double = await startDouble();
  await control(double, 'PUT', '/delivery', { refundStatusDelayMs: 0 });
  const orderId = await paidOrder(double);
  await control(double, 'POST', `/orders/${orderId}/refund`, { amount: 1 });
  expect(await apiData(double, `/order/${orderId}`)).toMatchObject({ status: 'partial_refunded' });
});

test('the dashboard refunds what a person may refund, and the rest when left empty', async () => {
  const double = await startDouble();
  const orderId = await paidOrder(double);
  for (const amount of ['0', '-1', '1.999', '40', 'all of it']) {
    expect((await refundByForm(double, orderId, amount)).status).toBe(400);
  }
  expect((await refundByForm(double, orderId, '9.98')).status).toBe(303);
  expect((await refundByForm(double, orderId, '')).status).toBe(303);
  expect((await refundByForm(double, orderId, '')).status).toBe(400);
  const { refunds } = await readLedger(double.url);
  expect(refunds.map(({ refundAmount }) => refundAmount)).toEqual([9.98, 30]);
});

test('an order that was never paid cannot be refunded from the dashboard', async () => {
  const double = await startDouble();
  const { sessionId } = await openSession(double);
  const { orderId } = await control(double, 'POST', `/sessions/${sessionId}/pay`, { outcome: 'failed' });
  expect((await refundByForm(double, String(orderId), '1')).status).toBe(400);
});
