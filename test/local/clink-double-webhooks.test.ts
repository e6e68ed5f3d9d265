import { expect, test } from 'vitest';
import type { ClinkDouble } from '../../bin/local/clink-double/server.ts';
import {
  control,
  openSession,
  readLedger,
  SIGNING_SECRET,
  startDouble,
  startReceiver,
  temporaryDatabase,
  type Webhook,
} from './clink-double-fixture.ts';

const types = (webhooks: Webhook[]): string[] => webhooks.map(({ type }) => type);

async function pay(double: ClinkDouble, body: Record<string, unknown> = {}): Promise<unknown> {
  const { sessionId } = await openSession(double);
  const paid = await control(double, 'POST', `/sessions/${sessionId}/pay`, { outcome: 'success', ...body });
  return paid.orderId;
}

test('a payment is told in order, signed, with rising timestamps and the documented fields', async () => {
  const merchant = await startReceiver();
  const double = await startDouble({ webhookUrl: () => merchant.url });
  const orderId = await pay(double, { amountTotal: 139659, paymentCurrency: 'IDR' });
  const webhooks = await merchant.received(3);
  expect(types(webhooks)).toEqual(['order.created', 'order.succeeded', 'session.complete']);
  for (const { headers, expectedSignature, id, body } of webhooks) {
    expect(headers['x-clink-signature']).toBe(expectedSignature);
    expect(headers['x-clink-signtype']).toBe('SHA256');
    expect(headers['x-clink-timestamp']).toMatch(/^\d{13}$/);
    expect(id).toMatch(/^event_/);
    expect(JSON.parse(body).object).toBe('event');
  }
  const [created, succeeded, complete] = webhooks;
  expect(created?.object).toMatchObject({ orderId, status: 'created', paymentTime: null });
  expect(succeeded?.object).toMatchObject({
    orderId,
    type: 'onetime',
    merchantReferenceId: 'm-1001',
    customerEmail: 'shopper@example.test',
    status: 'success',
    amountSubtotal: 39.98,
    originalCurrency: 'USD',
    amountTotal: 139659,
    paymentCurrency: 'IDR',
    metadata: { cart: 'c-1' },
  });
  expect(succeeded?.object).not.toHaveProperty('createTime');
  expect(complete?.object).toMatchObject({ status: 'completed', paymentStatus: 'paid', orderId });
  const times = webhooks.map((webhook) => webhook.created);
  expect(times).toEqual([...new Set(times)].sort());
});

test('a failed delivery is repeated with a fresh signature, and lets later ones pass', async () => {
  const merchant = await startReceiver();
  merchant.statuses.push(500);
  let clock = Date.now();
  const now = () => clock++;
  const double = await startDouble({ webhookUrl: () => merchant.url, retryDelaysMs: [1, 1], now });
  await pay(double);
  const webhooks = await merchant.received(4);
  const repeated = webhooks.filter(({ type }) => type === 'order.created');
  expect(repeated).toHaveLength(2);
  expect(repeated[0]?.body).toBe(repeated[1]?.body);
  expect(repeated[0]?.headers['x-clink-timestamp']).not.toBe(repeated[1]?.headers['x-clink-timestamp']);
  expect(repeated[1]?.headers['x-clink-signature']).toBe(repeated[1]?.expectedSignature);
});

test('a delivery is given up after its last retry', async () => {
  const merchant = await startReceiver();
  const { url } = await startDouble({ webhookUrl: () => merchant.url, retryDelaysMs: [1, 1] });
  merchant.statuses.push(...Array.from({ length: 4 }, () => 503));
  await control({ url, close: async () => {} }, 'PUT', '/sessions/sess_1', { status: 'open' });
  await control({ url, close: async () => {} }, 'POST', '/sessions/sess_1/expire');
  await merchant.received(3);
  await expect.poll(() => deliveryStates(url)).toEqual([['given_up', 3, '503']]);
  expect(merchant.webhooks).toHaveLength(3);
});

async function deliveryStates(url: string): Promise<unknown[]> {
  const { deliveries } = await readLedger(url);
  return deliveries.map(({ state, attempts, lastResult }) => [state, attempts, lastResult]);
}

test('what was not delivered goes out after a restart from the same file', async () => {
  const databaseFile = await temporaryDatabase();
  const merchant = await startReceiver();
  merchant.statuses.push(500, 500, 500);
  const first = await startDouble({ databaseFile, webhookUrl: () => merchant.url, retryDelaysMs: [60_000] });
  const orderId = await pay(first);
  await merchant.received(3);
  await expect.poll(() => deliveryStates(first.url)).toEqual(Array(3).fill(['queued', 1, '500']));
  await first.close();

  const later = () => Date.now() + 61_000;
  const second = await startDouble({ databaseFile, webhookUrl: () => merchant.url, now: later });
  const webhooks = await merchant.received(6);
  expect(types(webhooks.slice(3))).toEqual(['order.created', 'order.succeeded', 'session.complete']);
  const { orders } = await readLedger(second.url);
  expect(orders).toMatchObject([{ orderId, status: 'success' }]);
});

test('copies of an event are all sent, with one id', async () => {
  const merchant = await startReceiver();
  const double = await startDouble({ webhookUrl: () => merchant.url });
  await control(double, 'PUT', '/delivery', { duplicates: 2 });
  await pay(double);
  const webhooks = await merchant.received(9);
  expect(new Set(webhooks.map(({ id }) => id)).size).toBe(3);
});

test('the events of one action are reversed', async () => {
  const merchant = await startReceiver();
  const double = await startDouble({ webhookUrl: () => merchant.url });
  await control(double, 'PUT', '/delivery', { reorder: true });
  await pay(double);
  expect(types(await merchant.received(3))).toEqual(['session.complete', 'order.succeeded', 'order.created']);
});

test('a counted drop loses the next deliveries for good, and a resend brings one back', async () => {
  const merchant = await startReceiver();
  const double = await startDouble({ webhookUrl: () => merchant.url });
  await control(double, 'PUT', '/delivery', { drop: 2 });
  await pay(double);
  expect(types(await merchant.received(1))).toEqual(['session.complete']);
  const { events, deliveries } = await readLedger(double.url);
  expect(deliveries.map(({ state }) => state).slice(0, 2)).toEqual(['dropped', 'dropped']);
  await fetch(`${double.url}/dashboard/events/${events[1]?.id}/resend`, { method: 'POST', redirect: 'manual' });
  expect(types(await merchant.received(2))).toEqual(['session.complete', 'order.succeeded']);
});

test('every delivery is lost while the knob says so', async () => {
  const merchant = await startReceiver();
  const double = await startDouble({ webhookUrl: () => merchant.url });
  await control(double, 'PUT', '/delivery', { drop: true });
  await pay(double);
  await control(double, 'PUT', '/delivery', {});
  await pay(double, { outcome: 'failed' });
  expect(types(await merchant.received(2))).toEqual(['order.created', 'order.failed']);
});

test('held webhooks wait until they are released', async () => {
  const merchant = await startReceiver();
  const double = await startDouble({ webhookUrl: () => merchant.url });
  await pay(double, { webhooks: 'hold' });
  await pay(double, { outcome: 'failed' });
  expect(types(await merchant.received(2))).toEqual(['order.created', 'order.failed']);
  expect(await control(double, 'POST', '/deliveries/release')).toEqual({ released: 3 });
  expect(types((await merchant.received(5)).slice(2))).toEqual([
    'order.created',
    'order.succeeded',
    'session.complete',
  ]);
});

test('a delay puts off deliveries, and does not change them', async () => {
  const merchant = await startReceiver();
  const double = await startDouble({ webhookUrl: () => merchant.url });
  await control(double, 'PUT', '/delivery', { delayMs: 20 });
  await pay(double);
  expect(types(await merchant.received(3))).toEqual(['order.created', 'order.succeeded', 'session.complete']);
});

test('all events of a session share one timestamp on request', async () => {
  const merchant = await startReceiver();
  const double = await startDouble({ webhookUrl: () => merchant.url });
  await control(double, 'PUT', '/delivery', { equalTimestamps: true });
  const { sessionId } = await openSession(double);
  await control(double, 'POST', `/sessions/${sessionId}/pay`, { outcome: 'failed' });
  await control(double, 'POST', `/sessions/${sessionId}/pay`, { outcome: 'success' });
  const webhooks = await merchant.received(5);
  expect(new Set(webhooks.map(({ created }) => created)).size).toBe(1);
});

test('the current signing secret signs, also a repeated delivery', async () => {
  let secret = SIGNING_SECRET;
  const merchant = await startReceiver(() => secret);
  const rotate = {
    signingSecret: async () => {
      secret = 'whsec_next';
    },
    apiKey: async () => {},
  };
  const double = await startDouble({ webhookUrl: () => merchant.url, signingSecret: () => secret, rotate });
  await control(double, 'POST', '/rotate/signing-secret');
  await pay(double, { outcome: 'failed' });
  const [webhook] = await merchant.received(1);
  expect(secret).toBe('whsec_next');
  expect(webhook?.headers['x-clink-signature']).toBe(webhook?.expectedSignature);
});
