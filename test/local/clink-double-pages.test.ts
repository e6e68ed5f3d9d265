import { expect, test } from 'vitest';
import {
  apiData,
  callApi,
  control,
  openSession,
  readLedger,
  startDouble,
  startReceiver,
} from './clink-double-fixture.ts';

const press = (url: string, action: string): Promise<Response> =>
  fetch(url, { method: 'POST', body: new URLSearchParams({ action }), redirect: 'manual' });

const read = async (url: string): Promise<string> => (await fetch(url)).text();

test('the page shows the items, the amount and every way to go on', async () => {
  const { url } = await openSession(await startDouble());
  const response = await fetch(url);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const markup = await response.text();
  expect(markup).toContain('Mug');
  expect(markup).toContain('USD\u00a039.98');
  for (const id of ['pay', 'decline', 'verify', 'abandon']) expect(markup).toContain(`id="${id}"`);
  expect(markup).toContain('href="https://shop.example.test/cart"');
  expect(markup).not.toMatch(/src=|@import|<script/);
});

test('what the merchant sends is escaped', async () => {
  const priceDataList = [{ name: '<b>"Mug" & \'co\'</b>', unitAmount: 39.98 }];
  const { url } = await openSession(await startDouble(), { priceDataList });
  expect(await read(url)).toContain('&lt;b&gt;&quot;Mug&quot; &amp; &#39;co&#39;&lt;/b&gt;');
});

test('paying leads back to the shop with the session id, its own parameters untouched', async () => {
  const double = await startDouble();
  const { url, sessionId } = await openSession(double);
  const response = await press(url, 'pay');
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe(
    `https://shop.example.test/return?order=m-1001&tab=a%20b&session_id=${sessionId}#top`,
  );
  expect(await apiData(double, `/checkout/session/${sessionId}`)).toMatchObject({
    status: 'completed',
    paymentStatus: 'paid',
    amountTotal: 39.98,
  });
  expect(await read(url)).toContain('This payment is complete');
});

test('a completed page takes no second payment', async () => {
  const double = await startDouble();
  const { url } = await openSession(double);
  await press(url, 'pay');
  expect((await press(url, 'pay')).status).toBe(303);
  expect(await (await callApi(double, 'GET', '/order')).json()).toMatchObject({ total: 1 });
});

test('without a successUrl the shopper stays on the closed page', async () => {
  const { url } = await openSession(await startDouble(), { successUrl: undefined });
  expect((await press(url, 'pay')).headers.get('location')).toBe(new URL(url).pathname);
  expect(await read(url)).not.toContain('Return to the shop');
});

test('a declined card can be tried again: each try is an order of its own', async () => {
  const merchant = await startReceiver();
  const double = await startDouble({ webhookUrl: () => merchant.url });
  const { url, sessionId } = await openSession(double);
  expect((await press(url, 'decline')).headers.get('location')).toBe(new URL(url).pathname);
  expect(await read(url)).toContain('role="alert"');
  await press(url, 'pay');
  const webhooks = await merchant.received(5);
  expect(webhooks.map(({ type }) => type)).toEqual([
    'order.created',
    'order.failed',
    'order.created',
    'order.succeeded',
    'session.complete',
  ]);
  expect(webhooks[1]?.object).toMatchObject({ status: 'failed', failureCode: 'card_declined' });
  expect(webhooks[3]?.object).not.toHaveProperty('failureCode');
  expect(webhooks[0]?.object.orderId).not.toBe(webhooks[2]?.object.orderId);
  expect(await apiData(double, `/checkout/session/${sessionId}`)).toMatchObject({
    orderId: webhooks[2]?.object.orderId,
  });
});

test.each([
  ['verify-complete', 'success', ['order.succeeded', 'session.complete']],
  ['verify-fail', 'failed', ['order.failed']],
])('extra verification ends with %s', async (button, status, events) => {
  const merchant = await startReceiver();
  const double = await startDouble({ webhookUrl: () => merchant.url });
  const { url, sessionId } = await openSession(double);
  await press(url, 'verify');
  const markup = await read(url);
  for (const id of ['verify-complete', 'verify-fail', 'abandon']) expect(markup).toContain(`id="${id}"`);
  const waiting = await apiData(double, `/checkout/session/${sessionId}`);
  expect(waiting).toMatchObject({ status: 'open', paymentStatus: 'processing' });
  expect(await apiData(double, `/order/${waiting.orderId}`)).toMatchObject({ status: 'requires_action' });
  await press(url, button);
  expect(await apiData(double, `/order/${waiting.orderId}`)).toMatchObject({ status });
  const webhooks = await merchant.received(2 + events.length);
  expect(webhooks.map(({ type }) => type)).toEqual(['order.created', 'order.next_action', ...events]);
  expect(new Set(webhooks.map(({ object }) => object.orderId)).size).toBe(1);
});

test('a session expires after an hour, tells so once, and closes its page', async () => {
  const merchant = await startReceiver();
  let clock = Date.now();
  const double = await startDouble({ webhookUrl: () => merchant.url, now: () => clock });
  const { url, sessionId, expireTime } = await openSession(double);
  expect(Date.parse(expireTime)).toBe(clock + 3_600_000);
  clock += 3_600_000;
  expect(await read(url)).toContain('This payment page has expired');
  await press(url, 'pay');
  const [webhook] = await merchant.received(1);
  expect(webhook).toMatchObject({ type: 'session.expired', object: { sessionId, status: 'expired' } });
  const { events, orders } = await readLedger(double.url);
  expect([events.length, orders.length]).toEqual([1, 0]);
});

test('late money is told, but completes nothing', async () => {
  const double = await startDouble();
  const { sessionId } = await openSession(double);
  await control(double, 'POST', `/sessions/${sessionId}/expire`);
  const { orderId } = await control(double, 'POST', `/sessions/${sessionId}/pay`, { outcome: 'success' });
  expect(await apiData(double, `/checkout/session/${sessionId}`)).toMatchObject({
    status: 'expired',
    paymentStatus: 'paid',
    orderId,
  });
  const { events } = await readLedger(double.url);
  expect(events.map(({ type }) => type)).not.toContain('session.complete');
});

test('an unknown page or button is refused in words', async () => {
  const double = await startDouble();
  const { url } = await openSession(double);
  expect((await fetch(`${double.url}/pay/guess`)).status).toBe(404);
  const response = await press(url, 'constructor');
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('no such button');
});
