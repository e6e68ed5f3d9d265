import { request } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type GatewayOptions, startGateway } from '../../bin/local/gateway/gateway.ts';
import { CUSTOMERS, type Identity, openIdentity } from '../../bin/local/identity.ts';

const SHOP = 'http://shop.example.test';
const [CUSTOMER = { id: '', name: '', email: '' }] = CUSTOMERS;

let identity: Identity;
let privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

beforeAll(async () => {
  ({ privateKey } = await generateKeyPair('RS256', { extractable: true }));
  identity = await openIdentity(await exportJWK(privateKey));
});

interface Invocation {
  readonly lambda: string;
  readonly event: { readonly requestContext: { readonly authorizer?: { readonly jwt: { readonly claims: object } } } };
}

async function open(answer: unknown, options: Partial<GatewayOptions> = {}) {
  const invocations: Invocation[] = [];
  const gateway = await startGateway({
    port: 0,
    allowedOrigin: () => SHOP,
    verifyToken: (token) => identity.verifyToken(token),
    invoke: async (lambda, event) => {
      invocations.push({ lambda, event: event as Invocation['event'] });
      if (answer instanceof Error) throw answer;
      return answer;
    },
    ...options,
  });
  onTestFinished(() => gateway.close());
  const call = (method: string, path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(gateway.url + path, { ...init, method });
  return { url: gateway.url, invocations, call };
}

describe('the authorizer', () => {
  const claimsOf = ({ invocations }: { invocations: Invocation[] }) =>
    invocations[0]?.event.requestContext.authorizer?.jwt.claims;

  test('lets a token of the shop in, with its claims as text', async () => {
    const gateway = await open({ ok: true });
    const authorization = `Bearer ${await identity.issueToken(CUSTOMER)}`;
    expect((await gateway.call('GET', '/api/orders/o-1', { headers: { authorization } })).status).toBe(200);
    expect(gateway.invocations[0]?.lambda).toBe('get-order');
    expect(claimsOf(gateway)).toMatchObject({
      sub: CUSTOMER.id,
      email: CUSTOMER.email,
      exp: expect.stringMatching(/^\d+$/),
    });
  });

  const token = (change: (jwt: SignJWT) => SignJWT) =>
    change(
      new SignJWT({})
        .setProtectedHeader({ alg: 'RS256' })
        .setSubject('c')
        .setIssuer('https://identity.shop.example')
        .setAudience('demo-shop')
        .setExpirationTime('1h'),
    );
  test.each<[string, () => Promise<string>]>([
    ['nothing', async () => ''],
    ['no token', async () => 'Bearer nonsense'],
    ['an expired token', () => token((jwt) => jwt.setExpirationTime('-1s')).sign(privateKey)],
    ['another audience', () => token((jwt) => jwt.setAudience('else')).sign(privateKey)],
    ['another issuer', () => token((jwt) => jwt.setIssuer('else')).sign(privateKey)],
    ['a token of later', () => token((jwt) => jwt.setNotBefore('1h')).sign(privateKey)],
    ['a stranger’s key', async () => token((jwt) => jwt).sign((await generateKeyPair('RS256')).privateKey)],
  ])('refuses %s', async (_, make) => {
    const gateway = await open({});
    const authorization = await make();
    const response = await gateway.call('GET', '/api/orders/o-1', { headers: { authorization } });
    expect([response.status, await response.json()]).toEqual([401, { message: 'Unauthorized' }]);
    expect(gateway.invocations).toEqual([]);
  });

  test('does not stand before the webhook', async () => {
    const gateway = await open({ statusCode: 200, body: 'ok' });
    expect((await gateway.call('POST', '/api/webhooks/clink', { body: '{}' })).status).toBe(200);
    expect(claimsOf(gateway)).toBeUndefined();
  });
});

describe('answers', () => {
  const webhook = async (answer: unknown, options: Partial<GatewayOptions> = {}) => {
    const gateway = await open(answer, options);
    return gateway.call('POST', '/api/webhooks/clink', { body: '{}' });
  };

  test('are sent with status, headers, cookies and a decoded body', async () => {
    const body = Buffer.from([1, 2, 255]).toString('base64');
    const response = await webhook({
      statusCode: 418,
      headers: { 'X-Count': 2, 'content-type': 'application/x-tea' },
      cookies: ['a=1', 'b=2'],
      body,
      isBase64Encoded: true,
    });
    expect(response.status).toBe(418);
    expect(response.headers.get('x-count')).toBe('2');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array([1, 2, 255]));
  });

  test('without a status are JSON with 200', async () => {
    const response = await webhook({ some: 'thing' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await response.json()).toEqual({ some: 'thing' });
  });

  test('of a function that throws are 500 without its words', async () => {
    const response = await webhook(new Error('secret words'));
    expect([response.status, await response.json()]).toEqual([500, { message: 'Internal Server Error' }]);
  });

  test('of a function that takes too long are 503', async () => {
    const never = Promise.withResolvers<unknown>();
    const response = await webhook(null, { integrationTimeoutMs: 1, invoke: () => never.promise });
    expect([response.status, await response.json()]).toEqual([503, { message: 'Service Unavailable' }]);
  });

  test('for an unknown route are 404', async () => {
    const gateway = await open({});
    const response = await gateway.call('GET', '/api/webhooks/clink');
    expect([response.status, await response.json()]).toEqual([404, { message: 'Not Found' }]);
  });

  test('for more than 10 MB are 413, and at the limit the function is asked', async () => {
    const gateway = await open({});
    const limit = 10 * 1024 * 1024;
    const send = (size: number) => gateway.call('POST', '/api/webhooks/clink', { body: Buffer.alloc(size) });
    expect((await send(limit + 1)).status).toBe(413);
    expect(gateway.invocations).toEqual([]);
    expect((await send(limit)).status).toBe(200);
  });
});

describe('other origins', () => {
  const preflight = (origin: string) => ({
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'idempotency-key' },
  });

  test('the shop may call', async () => {
    const gateway = await open({});
    const response = await gateway.call('OPTIONS', '/api/checkout/create', preflight(SHOP));
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe(SHOP);
    expect(response.headers.get('access-control-allow-headers')).toContain('idempotency-key');
    const refused = await gateway.call('GET', '/api/orders/o-1', { headers: { origin: SHOP } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, SHOP]);
  });

  test('others may not', async () => {
    const gateway = await open({});
    const response = await gateway.call('OPTIONS', '/api/checkout/create', preflight('http://else.example.test'));
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('closing lets a request under way finish', async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<unknown>();
  const gateway = await startGateway({
    port: 0,
    allowedOrigin: () => SHOP,
    verifyToken: async () => null,
    invoke: () => {
      started.resolve();
      return finish.promise;
    },
  });
  const status = new Promise((resolve, reject) => {
    const call = request(`${gateway.url}/api/webhooks/clink`, { method: 'POST', agent: false }, (response) =>
      resolve(response.resume().statusCode),
    );
    call.on('error', reject).end('{}');
  });
  await started.promise;
  const closed = gateway.close();
  finish.resolve({ statusCode: 202 });
  expect(await status).toBe(202);
  await closed;
});
