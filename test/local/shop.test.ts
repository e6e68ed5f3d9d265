import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CUSTOMERS } from '../../bin/local/identity.ts';
import { type MerchantCall, MerchantLedger } from '../../bin/local/shop/merchant-ledger.ts';
import { startShop } from '../../bin/local/shop/server.ts';
import { signedCall } from '../../functions/merchant/signed-call.ts';

const SECRET = `whsec_${randomBytes(24).toString('base64')}`;

async function open() {
  const ledger = new MerchantLedger(':memory:');
  const shop = await startShop({
    port: 0,
    ledger,
    apiUrl: () => 'http://api.example.test',
    dashboardUrl: () => 'http://clink.example.test/dashboard',
    customers: CUSTOMERS,
    issueToken: async ({ id }) => `token-of-${id}`,
    listProducts: async () => [
      { id: 'tea', name: 'Tea <b>&', unitAmount: 1_050, currency: 'USD' },
      { id: 'cloth', name: 'Cloth', unitAmount: 1_800, currency: 'JPY' },
    ],
    merchantSigningSecret: SECRET,
  });
  onTestFinished(async () => {
    await shop.close();
    ledger.close();
  });
  const call = signedCall({ merchantUrl: `${shop.url}/merchant`, signingSecrets: async () => [SECRET] });
  const send = (path: string, idempotencyKey: string, data: object = { merchantOrderId: 'o-1' }) =>
    call(path, 'test', data, { idempotencyKey, signal: new AbortController().signal });
  const calls = async (): Promise<MerchantCall[]> => (await fetch(`${shop.url}/control/calls`)).json() as never;
  const trouble = (body: object) =>
    fetch(`${shop.url}/control/calls`, { method: 'PUT', body: JSON.stringify(body) }).then(({ status }) => status);
  const read = async (path: string, headers: Record<string, string> = {}): Promise<string> =>
    (await fetch(shop.url + path, { headers })).text();
  return { url: shop.url, ledger, send, calls, trouble, read };
}

describe('the merchant’s endpoint', () => {
  test('keeps every signed call in order, with its task and its idempotency key', async () => {
    const { send, calls } = await open();
    await send('/fulfillment', 'key-1');
    await send('/refund-policy', 'key-2');
    await send('/cases', 'key-3');
    await send('/alerts', 'key-4');
    await send('/fulfillment', 'key-1');
    expect((await calls()).map(({ task, idempotencyKey, status }) => [task, idempotencyKey, status])).toEqual([
      ['fulfill', 'key-1', 200],
      ['apply_refund_policy', 'key-2', 200],
      ['manual_reconciliation', 'key-3', 200],
      ['page_outbox_failure', 'key-4', 200],
      ['fulfill', 'key-1', 200],
    ]);
    expect((await calls())[0]).toMatchObject({ body: { type: 'test', data: { merchantOrderId: 'o-1' } } });
  });

  test('does each piece of work once', async () => {
    const { send, ledger } = await open();
    await send('/fulfillment', 'key-1');
    await send('/fulfillment', 'key-1');
    await send('/fulfillment', 'key-2');
    expect(ledger.work().map(({ idempotencyKey }) => idempotencyKey)).toEqual(['key-2', 'key-1']);
  });

  test('takes no call without a good signature', async () => {
    const { url, calls } = await open();
    const body = '{"type":"test","data":{}}';
    const signature = new Webhook(SECRET).sign('key', new Date(), body);
    const headers = {
      'webhook-id': 'key',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': signature,
    };
    const post = (changes: Record<string, string>, text: string) =>
      fetch(`${url}/merchant/fulfillment`, { method: 'POST', headers: { ...headers, ...changes }, body: text });
    expect((await post({}, `${body} `)).status).toBe(401);
    expect((await post({ 'webhook-id': 'else' }, body)).status).toBe(401);
    expect((await post({ 'webhook-signature': '' }, body)).status).toBe(401);
    expect(await calls()).toEqual([]);
  });

  test('fails as often as it is told to, and then works again', async () => {
    const { send, trouble, calls, ledger } = await open();
    expect(await trouble({ task: 'fulfill', status: 503, times: 2 })).toBe(200);
    await expect(send('/fulfillment', 'key')).rejects.toMatchObject({ status: 503 });
    await send('/cases', 'other');
    await expect(send('/fulfillment', 'key')).rejects.toMatchObject({ status: 503 });
    expect(ledger.work().map(({ task }) => task)).toEqual(['manual_reconciliation']);
    await send('/fulfillment', 'key');
    expect((await calls()).map(({ status }) => status)).toEqual([503, 200, 503, 200]);
  });

  test('hangs when it is told to, having noted the call', async () => {
    const { send, trouble, calls } = await open();
    await trouble({ task: 'fulfill', delayMs: 60_000 });
    send('/fulfillment', 'key').catch(() => undefined);
    await expect.poll(async () => (await calls()).length).toBe(1);
  });

  test('refuses trouble that it does not know', async () => {
    const { trouble } = await open();
    expect(await trouble({ task: 'constructor' })).toBe(400);
    expect(await trouble({ task: 'fulfill', state: 500 })).toBe(400);
    expect(await trouble({ task: 'fulfill', status: 99 })).toBe(400);
  });
});

describe('pages', () => {
  test('show products with exact prices, and nothing that could run', async () => {
    const { read } = await open();
    const markup = await read('/');
    expect(markup).toContain('USD\u00a010.50');
    expect(markup).toContain('JPY\u00a01,800');
    expect(markup).toContain('Tea &lt;b&gt;&amp;');
    expect(markup).not.toMatch(/ style=| on\w+=/);
  });

  test('are for the customer that was chosen', async () => {
    const { read, url } = await open();
    expect(await read('/')).toContain('token-of-customer-1');
    const body = new URLSearchParams({ customer: 'customer-2' });
    const response = await fetch(`${url}/sign-in`, { method: 'POST', body, redirect: 'manual' });
    const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(await read('/', { cookie })).toContain('token-of-customer-2');
    expect(await read('/', { cookie: 'customer=nobody' })).toContain('token-of-customer-1');
  });

  test('take an order id from the address as text only', async () => {
    const { read } = await open();
    expect(await read('/return?orderId=%22%3E%3Cscript%3E')).toContain('data-order="&quot;&gt;&lt;script&gt;"');
  });

  test('are found under one name only', async () => {
    const { url } = await open();
    const other = url.replace('127.0.0.1', 'localhost');
    const response = await fetch(`${other}/orders`, { redirect: 'manual' }).catch(() => null);
    if (response !== null) expect(response.headers.get('location')).toBe(`${url}/orders`);
  });

  test('that do not exist are 404, and so are files outside the browser’s folder', async () => {
    const { url } = await open();
    for (const path of ['/nothing', '/assets/nothing.js', '/assets/..%2fserver.ts']) {
      expect((await fetch(url + path)).status).toBe(404);
    }
  });
});
