import { expect, test } from 'vitest';
import {
  API_KEY,
  apiData,
  CHECKOUT,
  callApi,
  control,
  type Fields,
  jsonOf,
  type OpenedSession,
  openSession,
  startDouble,
} from './clink-double-fixture.ts';

test('a session is answered as documented, and can be read', async () => {
  const double = await startDouble();
  const response = await callApi(double, 'POST', '/checkout/session', CHECKOUT);
  expect(response.status).toBe(200);
  const { code, msg, data } = (await response.json()) as { code: number; msg: string; data: OpenedSession };
  expect({ code, msg }).toEqual({ code: 200, msg: 'success' });
  expect(data).toMatchObject({
    sessionId: expect.stringMatching(/^sess_/),
    customerId: expect.stringMatching(/^cus_/),
    originalAmount: 39.98,
    originalCurrency: 'USD',
    uiMode: 'hostedPage',
    merchantReferenceId: 'm-1001',
    url: `${double.url}/pay/${data.tokenValue}`,
    expireTime: expect.stringMatching(/Z$/),
  });
  expect(data.tokenValue.length).toBeGreaterThan(20);
  expect(await apiData(double, `/checkout/session/${data.sessionId}`)).toMatchObject({
    sessionId: data.sessionId,
    status: 'open',
    paymentStatus: 'unpaid',
    amountSubtotal: 39.98,
    amountTotal: null,
    orderId: null,
    expire: data.expireTime,
    customer: { customerId: data.customerId, email: 'shopper@example.test' },
    metadata: { cart: 'c-1' },
  });
});

test.each<[string, Record<string, unknown> | string]>([
  ['no JSON', '{'],
  ['no object', '[]'],
  ['no amount', { originalAmount: undefined }],
  ['an amount as text', { originalAmount: '39.98' }],
  ['a zero amount', { originalAmount: 0, priceDataList: undefined }],
  ['a negative amount', { originalAmount: -1, priceDataList: undefined }],
  ['too many decimals', { originalAmount: 39.981, priceDataList: undefined }],
  ['a fraction of a yen', { originalAmount: 100.5, originalCurrency: 'JPY', priceDataList: undefined }],
  ['no currency', { originalCurrency: undefined }],
  ['a lower-case currency', { originalCurrency: 'usd' }],
  ['an unknown currency', { originalCurrency: 'ZZZ' }],
  ['an empty list of items', { priceDataList: [] }],
  ['items that are no list', { priceDataList: 'mug' }],
  ['a sum that differs', { priceDataList: [{ name: 'Mug', unitAmount: 19.99, quantity: 1 }] }],
  ['a nameless item', { priceDataList: [{ unitAmount: 39.98, quantity: 1 }] }],
  ['half an item', { priceDataList: [{ name: 'Mug', unitAmount: 79.96, quantity: 0.5 }] }],
  ['no items of a kind', { priceDataList: [{ name: 'Mug', unitAmount: 39.98, quantity: 0 }] }],
  ['an item in another currency', { priceDataList: [{ name: 'Mug', unitAmount: 39.98, currency: 'EUR' }] }],
  ['a successUrl without a scheme', { successUrl: 'shop.example.test' }],
  ['a script as cancelUrl', { cancelUrl: 'javascript:alert(1)' }],
  ['another ui mode', { uiMode: 'elements' }],
  ['metadata with numbers', { metadata: { cart: 1 } }],
  ['an overlong metadata value', { metadata: { cart: 'x'.repeat(501) } }],
])('a session is refused for %s', async (_reason, changes) => {
  const double = await startDouble();
  const body = typeof changes === 'string' ? changes : { ...CHECKOUT, ...changes };
  const response = await callApi(double, 'POST', '/checkout/session', body);
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ code: 400, msg: expect.stringMatching(/\.$/), data: null });
});

test.each([
  ['0.3', 'USD', '0.1', 3],
  ['0.30', 'USD', '0.10', 3],
  ['139659', 'IDR', '46553', 3],
  ['10000000.01', 'USD', '10000000.01', 1],
  ['99999999999999.97', 'USD', '99999999999999.97', 1],
  ['1.236', 'KWD', '0.412', 3],
])('%s %s is kept digit for digit', async (amount, currency, unitAmount, quantity) => {
  const double = await startDouble();
  const request = `{"originalAmount":${amount},"originalCurrency":"${currency}","referenceCustomerId":"user-1",
    "priceDataList":[{"name":"Mug","unitAmount":${unitAmount},"quantity":${quantity}}]}`;
  const created = await (await callApi(double, 'POST', '/checkout/session', request)).text();
  expect(created).toContain(`"originalAmount":${amount},`);
  const { sessionId } = JSON.parse(created).data;
  const { orderId } = await control(double, 'POST', `/sessions/${sessionId}/pay`, { outcome: 'success' });
  expect(await (await callApi(double, 'GET', `/order/${orderId}`)).text()).toContain(`"amountTotal":${amount},`);
});

const now = Date.now();
test.each<[string, Record<string, string>]>([
  ['no headers', {}],
  ['a wrong key', { 'X-API-Key': 'sk_test_other', 'X-Timestamp': String(now) }],
  ['no timestamp', { 'X-API-Key': API_KEY }],
  ['a timestamp in seconds', { 'X-API-Key': API_KEY, 'X-Timestamp': String(Math.floor(now / 1000)) }],
  ['a timestamp with a fraction', { 'X-API-Key': API_KEY, 'X-Timestamp': `${now}.5` }],
  ['an old timestamp', { 'X-API-Key': API_KEY, 'X-Timestamp': String(now - 121_000) }],
  ['a timestamp ahead', { 'X-API-Key': API_KEY, 'X-Timestamp': String(now + 121_000) }],
])('%s is answered with 401 in plain text', async (_reason, headers) => {
  const double = await startDouble({ now: () => now });
  const response = await fetch(`${double.url}/api/order`, { headers });
  expect(response.status).toBe(401);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(await response.text()).toBe('Unauthorized');
});

test('two keys are accepted while a rotation is under way', async () => {
  const keys = [API_KEY, 'sk_test_next'];
  const double = await startDouble({ apiKeys: () => keys });
  const call = (key: string) =>
    fetch(`${double.url}/api/order`, { headers: { 'x-api-key': key, 'x-timestamp': String(Date.now()) } });
  expect((await call('sk_test_next')).status).toBe(200);
  keys.shift();
  expect((await call(API_KEY)).status).toBe(401);
});

test('customers are found by any identifier, and a mismatch is a business error', async () => {
  const double = await startDouble();
  const resolve = async (identifiers: Record<string, string>): Promise<Fields> => {
    const request = { originalAmount: 5, originalCurrency: 'USD', ...identifiers };
    const response = await callApi(double, 'POST', '/checkout/session', request);
    expect(response.status).toBe(200);
    return jsonOf(response);
  };
  const mismatch = { code: 400, msg: 'CUSTOMER_IDENTIFIER_NOT_MATCHED', data: null };
  const notFound = { code: 400, msg: 'CUSTOMER_NOT_FOUND', data: null };

  const { customerId } = await openSession(double, { referenceCustomerId: undefined });
  const same = { data: { customerId } };
  expect(await resolve({ customerEmail: 'shopper@example.test', referenceCustomerId: 'user-1' })).toMatchObject(same);
  expect(await resolve({ referenceCustomerId: 'user-1' })).toMatchObject(same);
  expect(await resolve({ customerId, referenceCustomerId: 'user-1' })).toMatchObject(same);
  expect(await resolve({})).toEqual(notFound);
  expect(await resolve({ customerId: 'cus_unknown' })).toEqual(notFound);
  expect(await resolve({ customerId: 'cus_unknown', referenceCustomerId: 'user-1' })).toEqual(notFound);
  expect(await resolve({ customerEmail: 'new@example.test', referenceCustomerId: 'user-1' })).toEqual(mismatch);
  await resolve({ customerEmail: 'other@example.test', referenceCustomerId: 'user-2' });
  expect(await resolve({ customerEmail: 'shopper@example.test', referenceCustomerId: 'user-2' })).toEqual(mismatch);
});

test('what does not exist is answered in the envelope', async () => {
  const double = await startDouble();
  for (const path of ['/order/order_unknown', '/checkout/session/sess_unknown', '/nothing']) {
    const response = await callApi(double, 'GET', path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 404, data: null });
  }
});

test('orders are listed without data, by reference and page', async () => {
  const double = await startDouble();
  const { sessionId } = await openSession(double);
  const orderIds: unknown[] = [];
  for (const outcome of ['failed', 'failed', 'success']) {
    orderIds.push((await control(double, 'POST', `/sessions/${sessionId}/pay`, { outcome })).orderId);
  }
  const list = async (query: string) => jsonOf(await callApi(double, 'GET', `/order${query}`));
  const all = await list('?merchantReferenceId=m-1001');
  expect(Object.keys(all)).toEqual(['total', 'rows', 'code', 'msg']);
  expect(all.total).toBe(3);
  expect(all.rows).toMatchObject(orderIds.map((orderId) => ({ orderId })));
  expect(await list('?pageSize=2&pageNum=2')).toMatchObject({ total: 3, rows: [{ orderId: orderIds[2] }] });
  expect(await list('?customerId=cus_unknown')).toMatchObject({ total: 0, rows: [] });
  expect((await callApi(double, 'GET', '/order?pageSize=0')).status).toBe(400);
});

test('the event catalogue names the seven events', async () => {
  const { events, aliases } = await apiData(await startDouble(), '/webhook/events');
  expect(events).toHaveLength(7);
  expect(aliases).toMatchObject({ core: expect.not.arrayContaining(['order.created']) });
});
