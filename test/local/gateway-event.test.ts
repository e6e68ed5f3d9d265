import { expect, test } from 'vitest';
import { gatewayEvent } from '../../bin/local/gateway/event.ts';
import { matchRoute, ROUTES } from '../../bin/local/gateway/routes.ts';

const NOW = Date.UTC(2026, 2, 7, 19, 3, 58);
const ROUTE = { key: 'POST /api/webhooks/clink', pathParameters: {}, claims: null };

function eventOf(parts: { target?: string; headers?: Record<string, string[]>; body?: Buffer | string }) {
  const { target = '/api/webhooks/clink', headers = {}, body = '' } = parts;
  const request = { method: 'POST', target, headers, body: Buffer.from(body), sourceIp: '127.0.0.1' };
  return gatewayEvent(request, ROUTE, NOW);
}

test('the event names its route, its caller and its time', () => {
  const event = eventOf({ headers: { host: ['api.example.test'], 'user-agent': ['Clink'] } });
  expect(event).toMatchObject({
    version: '2.0',
    routeKey: ROUTE.key,
    rawPath: '/api/webhooks/clink',
    rawQueryString: '',
  });
  expect(event.requestContext).toMatchObject({
    http: { method: 'POST', path: '/api/webhooks/clink', sourceIp: '127.0.0.1', userAgent: 'Clink' },
    domainName: 'api.example.test',
    stage: '$default',
    time: '07/Mar/2026:19:03:58 +0000',
    timeEpoch: NOW,
  });
  expect(event).not.toHaveProperty('queryStringParameters');
  expect(event).not.toHaveProperty('pathParameters');
  expect(event).not.toHaveProperty('cookies');
  expect(event).not.toHaveProperty('body');
});

test('repeated headers and parameters are joined by commas, cookies go by themselves', () => {
  const event = eventOf({
    target: '/api/webhooks/clink?a=1&b=%20x&a=2',
    headers: { 'x-tag': ['one', 'two'], cookie: ['k=v; l=w'] },
  });
  expect(event.headers).toEqual({ 'x-tag': 'one,two' });
  expect(event.cookies).toEqual(['k=v', 'l=w']);
  expect(event.rawQueryString).toBe('a=1&b=%20x&a=2');
  expect(event.queryStringParameters).toEqual({ a: '1,2', b: ' x' });
});

test.each([
  ['application/json', '{"a":"ö"}', false],
  ['application/json; charset=utf-8', '{}', false],
  ['text/plain', 'hello', false],
  ['application/json', Buffer.from([0x7b, 0xff, 0x7d]), true],
  ['application/octet-stream', 'hello', true],
  ['application/x-www-form-urlencoded', 'a=1', true],
])('a body of %s arrives whole (%#)', (type, body, isBase64Encoded) => {
  const event = eventOf({ headers: { 'content-type': [type] }, body });
  expect(event.isBase64Encoded).toBe(isBase64Encoded);
  expect(Buffer.from(event.body ?? '', isBase64Encoded ? 'base64' : 'utf8')).toEqual(Buffer.from(body));
});

test('a compressed body is passed on as bytes', () => {
  const headers = { 'content-type': ['application/json'], 'content-encoding': ['gzip'] };
  expect(eventOf({ headers, body: 'x' }).isBase64Encoded).toBe(true);
});

test('claims stand where the JWT authorizer puts them', () => {
  const route = { key: 'GET /api/orders/{id}', pathParameters: { id: 'o-1' }, claims: { sub: 'c-1' } };
  const request = { method: 'GET', target: '/api/orders/o-1', headers: {}, body: Buffer.alloc(0), sourceIp: '::1' };
  const event = gatewayEvent(request, route, NOW);
  expect(event.pathParameters).toEqual({ id: 'o-1' });
  expect(event.requestContext).toHaveProperty('authorizer.jwt', { claims: { sub: 'c-1' }, scopes: null });
});

test('a route is found by method and path, with one decoded segment for each parameter', () => {
  expect(matchRoute(ROUTES, 'GET', '/api/orders/a%20b')).toMatchObject({
    route: { lambda: 'get-order', needsToken: true },
    pathParameters: { id: 'a b' },
  });
  expect(matchRoute(ROUTES, 'GET', '/api/orders/%E0')?.pathParameters).toEqual({ id: '%E0' });
  for (const path of ['/api/orders', '/api/orders/', '/api/orders/a/b', '/x/api/orders/a']) {
    expect(matchRoute(ROUTES, 'GET', path)).toBeNull();
  }
  expect(matchRoute(ROUTES, 'DELETE', '/api/orders/a')).toBeNull();
});
