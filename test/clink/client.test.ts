import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { type ClinkClientOptions, createClinkClient } from '../../functions/clink/client.ts';
import type { SessionRequest } from '../../functions/clink/wire.ts';
import { type Recorded, type RecordingServer, startRecordingServer } from '../platform/recording-server.ts';

let server: RecordingServer;
let respond: (response: ServerResponse, request: Recorded) => void;
let time: number;

beforeEach(async () => {
  time = 1_786_000_000_000;
  server = await startRecordingServer((response, request) => respond(response, request));
});

afterEach(() => server.close());

type Changes = Partial<Pick<ClinkClientOptions, 'apiKeys' | 'freshApiKeys' | 'timeoutMs' | 'baseUrl'>>;

const client = (changes: Changes = {}) =>
  createClinkClient({
    baseUrl: `${server.url}/api`,
    apiKeys: async () => ['sk_test_current'],
    now: () => time++,
    timeoutMs: 20_000,
    ...changes,
  });

function answers(status: number, body: string, headers: Record<string, string> = {}): void {
  respond = (response) => response.writeHead(status, headers).end(body);
}

const answersWith = (data: string) => answers(200, `{"code":200,"msg":"success","data":${data}}`);

const purchase: SessionRequest = {
  merchantOrderId: 'm-1001',
  customerId: 'customer-1',
  customerEmail: 'a@example.test',
  productName: 'Handbook',
  unitAmount: '9.90',
  quantity: 3,
  amount: '29.70',
  currency: 'USD',
  successUrl: 'https://shop.test/return?order=m-1001',
  cancelUrl: 'https://shop.test/cancel',
};

describe('what is sent', () => {
  test('a session is created with exact amounts and a key', async () => {
    answersWith('{"sessionId":"sess_1","url":"https://checkout.test/pay/sess_1#token"}');
    expect(await client().createSession(purchase)).toEqual({
      clinkSessionId: 'sess_1',
      checkoutUrl: 'https://checkout.test/pay/sess_1#token',
    });
    const [request] = server.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/api/checkout/session',
      headers: { 'x-api-key': 'sk_test_current', accept: 'application/json', 'content-type': 'application/json' },
    });
    expect(request?.body).toContain('"originalAmount":29.70');
    expect(request?.body).toContain('"unitAmount":9.90');
    expect(request?.headers['content-length']).toBe(String(Buffer.byteLength(request?.body ?? '')));
  });

  test('every call has its own timestamp in milliseconds, and a read has no body', async () => {
    answersWith('{"orderId":"order_1"}');
    const clink = client({ baseUrl: `${server.url}/api/` });
    await clink.getOrder('order_1');
    await clink.getOrder('order_1');
    expect(server.requests.map(({ headers }) => headers['x-timestamp'])).toEqual(['1786000000000', '1786000000001']);
    expect(server.requests[0]).toMatchObject({ method: 'GET', path: '/api/order/order_1', body: '' });
    expect(server.requests[0]?.headers['content-type']).toBeUndefined();
  });

  test('an id stays one segment of the path', async () => {
    answersWith('{}');
    await client().getSession('sess 1?x=1#y');
    expect(server.requests[0]?.path).toBe('/api/checkout/session/sess%201%3Fx%3D1%23y');
  });

  test('an id that would leave its place is refused for good, and is not in the error', async () => {
    const failing = client().getOrder('../refund');
    await expect(failing).rejects.toMatchObject({ permanent: true, path: '/order/{id}' });
    expect(server.requests).toEqual([]);
  });
});

describe('what is read', () => {
  test('an order, with the digits of its amount', async () => {
    answersWith(
      '{"orderId":"order_1","status":"success","amountTotal":117.830,"paymentCurrency":"INR","sessionId":null}',
    );
    expect(await client().getOrder('order_1')).toMatchObject({
      clinkOrderId: 'order_1',
      status: 'success',
      amountTotal: '117.830',
      paymentCurrency: 'INR',
      clinkSessionId: null,
    });
  });

  test('a session', async () => {
    answersWith('{"sessionId":"sess_1","status":"open","orderId":"order_1","merchantReferenceId":"m-1001"}');
    expect(await client().getSession('sess_1')).toEqual({
      clinkSessionId: 'sess_1',
      merchantOrderId: 'm-1001',
      clinkOrderId: 'order_1',
      status: 'open',
    });
  });

  test.each(['{"sessionId":"sess_1"}', '{"url":"https://checkout.test/pay/1"}', '{"sessionId":"sess_1","url":"pay"}'])(
    'a created session that nobody can pay in has an unknown outcome: %s',
    async (data) => {
      answersWith(data);
      await expect(client().createSession(purchase)).rejects.toMatchObject({ permanent: false, outcomeUnknown: true });
    },
  );
});

describe('what goes wrong', () => {
  test('HTTP 200 with another code is a failure, and its text stays outside', async () => {
    answers(200, '{"code":500,"msg":"customer a@example.test","data":null}');
    await expect(client().getOrder('order_1')).rejects.toMatchObject({
      name: 'ClinkError',
      message: 'Clink GET /order/order_1 failed: HTTP 200, code 500',
      method: 'GET',
      path: '/order/order_1',
      status: 200,
      code: 500,
      permanent: false,
    });
  });

  test('a refusal that Clink names is permanent', async () => {
    answers(400, '{"code":400,"msg":"CUSTOMER_IDENTIFIER_NOT_MATCHED"}');
    await expect(client().createSession(purchase)).rejects.toMatchObject({
      code: 'CUSTOMER_IDENTIFIER_NOT_MATCHED',
      permanent: true,
      outcomeUnknown: false,
    });
  });

  test('401 in plain text is read as 401', async () => {
    answers(401, 'Unauthorized', { 'content-type': 'text/plain' });
    await expect(client().getOrder('order_1')).rejects.toMatchObject({ status: 401, code: null, permanent: false });
    expect(server.requests).toHaveLength(1);
  });

  test('while a key rotation overlaps, the previous key gets one try', async () => {
    respond = (response, { headers }) => {
      const known = headers['x-api-key'] === 'sk_test_previous';
      response.writeHead(known ? 200 : 401).end(known ? '{"code":200,"data":{"orderId":"order_1"}}' : 'Unauthorized');
    };
    const apiKeys = async () => ['sk_test_new', 'sk_test_previous', 'sk_test_older'];
    expect(await client({ apiKeys }).getOrder('order_1')).toMatchObject({ clinkOrderId: 'order_1' });
    expect(server.requests.map(({ headers }) => headers['x-timestamp'])).toEqual(['1786000000000', '1786000000001']);
  });

  test('two refused keys are enough', async () => {
    answers(401, 'Unauthorized');
    const apiKeys = async () => ['one', 'two', 'three'];
    await expect(client({ apiKeys }).getOrder('order_1')).rejects.toMatchObject({ status: 401 });
    expect(server.requests).toHaveLength(2);
  });

  test('one that was just rotated in works at once', async () => {
    respond = (response, { headers }) => {
      const known = headers['x-api-key'] === 'sk_test_new';
      response.writeHead(known ? 200 : 401).end(known ? '{"code":200,"data":{"orderId":"order_1"}}' : 'Unauthorized');
    };
    const keys = { apiKeys: async () => ['sk_test_old'], freshApiKeys: async () => ['sk_test_new', 'sk_test_old'] };
    expect(await client(keys).getOrder('order_1')).toMatchObject({ clinkOrderId: 'order_1' });
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['sk_test_old', 'sk_test_new']);
  });

  test('without a key nothing is sent', async () => {
    const failing = client({ apiKeys: async () => [] }).createSession(purchase);
    await expect(failing).rejects.toMatchObject({ name: 'ClinkError', outcomeUnknown: false, permanent: false });
    expect(server.requests).toEqual([]);
  });

  test('keys that cannot be had fail the call as they fail', async () => {
    const unavailable = new Error('no secret');
    await expect(client({ apiKeys: () => Promise.reject(unavailable) }).getOrder('order_1')).rejects.toBe(unavailable);
  });

  test('a redirect is not followed: it would carry the key away', async () => {
    answers(302, '', { location: `${server.url}/elsewhere` });
    await expect(client().getOrder('order_1')).rejects.toMatchObject({ name: 'ClinkError', permanent: false });
    expect(server.requests).toHaveLength(1);
  });

  test('a lost connection leaves the outcome of a creation unknown', async () => {
    respond = (response) => response.destroy();
    await expect(client().createSession(purchase)).rejects.toMatchObject({
      message: 'Clink POST /checkout/session failed: network',
      status: null,
      permanent: false,
      outcomeUnknown: true,
    });
  });

  test('so does an answer that breaks off', async () => {
    respond = (response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"code":200', () => response.destroy());
    };
    await expect(client().createSession(purchase)).rejects.toMatchObject({ status: 200, outcomeUnknown: true });
  });

  test('an answer without an end is cut off', async () => {
    respond = (response) => {
      response.writeHead(200);
      const more = () => void (response.writable && response.write('x'.repeat(65_536), more));
      more();
    };
    await expect(client().getOrder('order_1')).rejects.toMatchObject({
      message: 'Clink GET /order/order_1 failed: HTTP 200, unreadable',
    });
  });

  test('silence ends with the timeout', async () => {
    respond = () => undefined;
    await expect(client({ timeoutMs: 50 }).createSession(purchase)).rejects.toMatchObject({
      message: 'Clink POST /checkout/session failed: timeout',
      outcomeUnknown: true,
    });
  });

  test("the caller's abort comes back as the caller's own reason", async () => {
    const lease = new AbortController();
    const lost = new Error('lease lost');
    respond = () => lease.abort(lost);
    await expect(client().getOrder('order_1', lease.signal)).rejects.toBe(lost);
    await expect(client().getOrder('order_1', lease.signal)).rejects.toBe(lost);
    expect(server.requests).toHaveLength(1);
  });
});
