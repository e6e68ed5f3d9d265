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

const submit = (url: string, path: string, fields: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/dashboard${path}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });

const read = async (url: string): Promise<string> => (await fetch(`${url}/dashboard`)).text();

test('the front address leads to the dashboard', async () => {
  const { url } = await startDouble();
  expect((await fetch(url, { redirect: 'manual' })).headers.get('location')).toBe('/dashboard');
  expect(await read(url)).toContain('None yet.');
});

test('it lists what happened, escaped, with a form for what may be done', async () => {
  const merchant = await startReceiver();
  const double = await startDouble({ webhookUrl: () => merchant.url });
  const open = await openSession(double, { merchantReferenceId: '<i>m-1</i>' });
  const { sessionId } = await openSession(double);
  const { orderId } = await control(double, 'POST', `/sessions/${sessionId}/pay`, { outcome: 'success' });
  await merchant.received(3);
  await control(double, 'POST', `/orders/${orderId}/refund`, { amount: 1 });
  const markup = await read(double.url);
  expect(markup).toContain('&lt;i&gt;m-1&lt;/i&gt;');
  for (const id of [`expire-${open.sessionId}`, `refund-${orderId}`, `refund-amount-${orderId}`]) {
    expect(markup).toContain(`id="${id}"`);
  }
  expect(markup).not.toContain(`id="expire-${sessionId}"`);
  expect(markup).toContain('refund.succeeded');
  expect(markup).toContain('USD\u00a01.00');
});

test('a session can be expired', async () => {
  const double = await startDouble();
  const { sessionId } = await openSession(double);
  expect((await submit(double.url, `/sessions/${sessionId}/expire`)).status).toBe(303);
  expect(await apiData(double, `/checkout/session/${sessionId}`)).toMatchObject({ status: 'expired' });
});

test('the delivery knobs are set and shown', async () => {
  const { url } = await startDouble();
  await submit(url, '/delivery', { delayMs: '5', duplicates: '1', drop: '', refundStatusDelayMs: '9', reorder: 'on' });
  const state = await readLedger(url);
  expect(state.delivery).toEqual({
    delayMs: 5,
    duplicates: 1,
    drop: 0,
    refundStatusDelayMs: 9,
    reorder: true,
    equalTimestamps: false,
  });
  expect(await read(url)).toMatch(/id="reorder"[^>]*checked/);
  expect((await submit(url, '/delivery', { delayMs: 'soon' })).status).toBe(400);
});

test('the next API answers fail on request, until cleared', async () => {
  const double = await startDouble();
  await submit(double.url, '/answers', { kind: 'failing', times: '2' });
  expect((await callApi(double, 'GET', '/order')).status).toBe(500);
  await submit(double.url, '/answers/clear');
  expect((await callApi(double, 'GET', '/order')).status).toBe(200);
  await submit(double.url, '/answers', { kind: 'lost', times: '1' });
  await expect(callApi(double, 'GET', '/order')).rejects.toThrow();
  await submit(double.url, '/answers', { kind: 'slow', times: '1', delayMs: '1' });
  expect((await callApi(double, 'GET', '/order')).status).toBe(200);
});

test('keys are rotated by whoever owns them', async () => {
  const rotated: string[] = [];
  const rotate = {
    signingSecret: async () => void rotated.push('signing secret'),
    apiKey: async () => void rotated.push('api key'),
  };
  const { url } = await startDouble({ rotate });
  expect(await read(url)).toContain('id="rotate-api-key"');
  await submit(url, '/rotate/signing-secret');
  await submit(url, '/rotate/api-key');
  expect(rotated).toEqual(['signing secret', 'api key']);
  expect((await submit(url, '/rotate/other')).status).toBe(400);
});

test('what cannot be done is said in words', async () => {
  const { url } = await startDouble();
  const response = await submit(url, '/events/event_unknown/resend');
  expect(response.status).toBe(404);
  expect(await response.text()).toContain('There is no such event.');
});
