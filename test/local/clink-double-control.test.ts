import { expect, test } from 'vitest';
import {
  apiData,
  CHECKOUT,
  callApi,
  control,
  jsonOf,
  openSession,
  readLedger,
  startDouble,
  startReceiver,
} from './clink-double-fixture.ts';

test('a scripted answer replaces the real one as often as it says', async () => {
  const double = await startDouble();
  await control(double, 'PUT', '/answers', { method: 'GET', path: '/order/order_1', times: 2, status: 503 });
  await control(double, 'PUT', '/answers', { method: 'GET', path: '/order/order_1', body: 'not json' });
  await control(double, 'PUT', '/answers', { method: 'GET', path: '/order/order_1', body: { code: 200, data: [] } });
  const read = async () => {
    const response = await callApi(double, 'GET', '/order/order_1');
    return [response.status, await response.text()];
  };
  expect(await read()).toEqual([503, '{"code":503,"msg":"scripted","data":null}']);
  expect((await read())[0]).toBe(503);
  expect(await read()).toEqual([200, 'not json']);
  expect(await read()).toEqual([200, '{"code":200,"data":[]}']);
  expect((await read())[0]).toBe(404);
});

test('a scripted failure has no effect, a lost answer has', async () => {
  const double = await startDouble();
  const create = () => callApi(double, 'POST', '/checkout/session', CHECKOUT);
  const sessions = async () => (await readLedger(double.url)).sessions.length;
  await control(double, 'PUT', '/answers', { method: 'POST', path: '/checkout/session', status: 500 });
  expect((await create()).status).toBe(500);
  expect(await sessions()).toBe(0);
  await control(double, 'PUT', '/answers', { method: 'POST', path: '/checkout/*', lost: true });
  await expect(create()).rejects.toThrow();
  expect(await sessions()).toBe(1);
  expect((await create()).status).toBe(200);
});

test('a slow answer is the real one, and its effect is there at once', async () => {
  const double = await startDouble();
  await control(double, 'PUT', '/answers', { method: 'POST', path: '*', delayMs: 60_000 });
  const impatient = new AbortController();
  const answer = fetch(`${double.url}/api/checkout/session`, {
    method: 'POST',
    headers: { 'x-api-key': 'sk_test_double', 'x-timestamp': String(Date.now()) },
    body: JSON.stringify(CHECKOUT),
    signal: impatient.signal,
  });
  answer.catch(() => {});
  await expect.poll(async () => (await control(double, 'GET', '/state')).sessions).toHaveLength(1);
  impatient.abort();
  await expect(answer).rejects.toThrow();
  await control(double, 'PUT', '/answers', { method: 'GET', path: '/order', delayMs: 1 });
  expect((await callApi(double, 'GET', '/order')).status).toBe(200);
});

test('scripted answers can be cleared', async () => {
  const double = await startDouble();
  await control(double, 'PUT', '/answers', { method: '*', path: '*', times: 9, status: 500 });
  await control(double, 'DELETE', '/answers');
  expect((await callApi(double, 'GET', '/order')).status).toBe(200);
});

test('the API answers the fields that a script gives, digit for digit', async () => {
  const double = await startDouble();
  const put = (path: string, body: string) => fetch(`${double.url}/control${path}`, { method: 'PUT', body });
  await put('/orders/order_1', '{"status":"success","amountTotal":10.00,"sessionId":"sess_1","odd":{"a":[1e3]}}');
  expect(await (await callApi(double, 'GET', '/order/order_1')).text()).toContain(
    '"data":{"status":"success","amountTotal":10.00,"sessionId":"sess_1","odd":{"a":[1e3]},"orderId":"order_1"}',
  );
  await put('/orders/order_1', '{"status":"brand_new"}');
  expect(await apiData(double, '/order/order_1')).toMatchObject({ status: 'brand_new', sessionId: 'sess_1' });
  await put('/sessions/sess_1', '{"status":"open","orderId":null}');
  expect(await apiData(double, '/checkout/session/sess_1')).toEqual({
    status: 'open',
    orderId: null,
    sessionId: 'sess_1',
  });
});

test('a verification can be ended by a script', async () => {
  const merchant = await startReceiver();
  const double = await startDouble({ webhookUrl: () => merchant.url });
  const { sessionId } = await openSession(double);
  const { orderId } = await control(double, 'POST', `/sessions/${sessionId}/pay`, { outcome: 'requires_action' });
  const ended = await control(double, 'POST', `/sessions/${sessionId}/verify`, { outcome: 'success' });
  expect(ended.orderId).toBe(orderId);
  expect((await merchant.received(4)).map(({ type }) => type)).toEqual([
    'order.created',
    'order.next_action',
    'order.succeeded',
    'session.complete',
  ]);
});

test('a second payment of a completed session is told, and changes the session no more', async () => {
  const double = await startDouble();
  const { sessionId } = await openSession(double);
  const first = await control(double, 'POST', `/sessions/${sessionId}/pay`, { outcome: 'success' });
  await control(double, 'POST', `/sessions/${sessionId}/pay`, { outcome: 'success' });
  expect(await apiData(double, `/checkout/session/${sessionId}`)).toMatchObject({ orderId: first.orderId });
});

test.each<[string, string, unknown, RegExp]>([
  ['POST', '/sessions/sess_1/pay', {}, /outcome must be one of/],
  ['POST', '/sessions/sess_1/pay', { outcome: 'maybe' }, /outcome must be one of/],
  ['POST', '/sessions/sess_1/pay', { outcome: 'success', amount: 5 }, /amount is not known/],
  ['POST', '/sessions/sess_1/pay', { outcome: 'success', amountTotal: 'five' }, /amountTotal must be a decimal/],
  ['POST', '/sessions/sess_1/pay', { outcome: 'success', webhooks: 'later' }, /webhooks must be one of/],
  ['POST', '/sessions/sess_1/verify', { outcome: 'success' }, /waits for a verification/],
  ['POST', '/orders/order_1/refund', {}, /amount is missing/],
  ['POST', '/orders/order_1/refund', { amount: true }, /amount must be a decimal/],
  ['PUT', '/answers', { method: 'GET' }, /path must be/],
  ['PUT', '/answers', { method: 'GET', path: 'order' }, /path must be/],
  ['PUT', '/answers', { method: 'GET', path: '/order', times: 0 }, /times must be/],
  ['PUT', '/answers', { method: 'GET', path: '/order', status: 99 }, /status must be/],
  ['PUT', '/answers', { method: 'GET', path: '/order', lost: true, status: 200 }, /has the real effect/],
  ['PUT', '/delivery', { delayMs: -1 }, /delayMs must be/],
  ['PUT', '/delivery', { reorder: 'yes' }, /reorder must be/],
  ['PUT', '/sessions/sess_1', [], /must be a JSON object/],
  ['POST', '/rotate/signing-secret', undefined, /without key rotation/],
])('%s %s %j is refused with a sentence', async (method, path, body, sentence) => {
  const double = await startDouble();
  await control(double, 'PUT', '/sessions/sess_1', { status: 'open' });
  await control(double, 'PUT', '/orders/order_1', { status: 'success' });
  const response = await fetch(`${double.url}/control${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status).toBe(400);
  expect((await jsonOf(response)).error).toMatch(sentence);
});

test.each(['/sessions/sess_unknown/pay', '/sessions/sess_unknown/expire', '/orders/order_unknown/refund', '/nothing'])(
  'POST %s is answered with 404',
  async (path) => {
    const double = await startDouble();
    const body = path.endsWith('refund') ? { amount: 1 } : path.endsWith('pay') ? { outcome: 'success' } : {};
    const response = await fetch(`${double.url}/control${path}`, { method: 'POST', body: JSON.stringify(body) });
    expect(response.status).toBe(404);
  },
);
