import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { type SignedCallSettings, signedCall } from '../../functions/merchant/signed-call.ts';
import { type RecordingServer, startRecordingServer } from '../platform/recording-server.ts';

const SECRET = `whsec_${Buffer.from('the merchant and we know this').toString('base64')}`;
const PREVIOUS = `whsec_${Buffer.from('and this until yesterday').toString('base64')}`;

let server: RecordingServer;
let respond: (response: ServerResponse) => void;

beforeEach(async () => {
  respond = (response) => response.writeHead(204).end();
  server = await startRecordingServer((response) => respond(response));
});

afterEach(() => server.close());

const call = (changes: Partial<SignedCallSettings> = {}) =>
  signedCall({ merchantUrl: `${server.url}/hooks`, signingSecrets: async () => [SECRET], ...changes });

const options = (idempotencyKey = 'm-1001', signal = new AbortController().signal) => ({ idempotencyKey, signal });

function received() {
  const [request] = server.requests;
  if (!request) throw new Error('nothing was received');
  return { ...request, headers: request.headers as Record<string, string> };
}

describe('signedCall', () => {
  test('is accepted by a Standard Webhooks receiver, under the idempotency key', async () => {
    await call()('/fulfillment', 'fulfillment.requested', { merchantOrderId: 'm-1001' }, options());
    const { method, path, headers, body } = received();
    expect({ method, path }).toEqual({ method: 'POST', path: '/hooks/fulfillment' });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'm-1001',
      'webhook-id': 'm-1001',
    });
    expect(new Webhook(SECRET).verify(body, headers)).toEqual({
      type: 'fulfillment.requested',
      data: { merchantOrderId: 'm-1001' },
    });
  });

  test('the timestamp is in seconds', async () => {
    await call({ now: () => 1_786_000_000_999 })('/alerts', 'alert.opened', {}, options());
    expect(received().headers['webhook-timestamp']).toBe('1786000000');
  });

  test('while a rotation overlaps, either secret verifies', async () => {
    await call({ signingSecrets: async () => [SECRET, PREVIOUS] })('/cases', 'case.opened', {}, options());
    const { headers, body } = received();
    expect(() => new Webhook(SECRET).verify(body, headers)).not.toThrow();
    expect(() => new Webhook(PREVIOUS).verify(body, headers)).not.toThrow();
    expect(() => new Webhook('c29tZWJvZHkgZWxzZQ==').verify(body, headers)).toThrow();
  });

  test('a previous secret that is no key stops nothing, a current one does', async () => {
    await call({ signingSecrets: async () => [SECRET, 'a typing error'] })('/cases', 'case.opened', {}, options());
    const { headers, body } = received();
    expect(() => new Webhook(SECRET).verify(body, headers)).not.toThrow();
    const unsigned = call({ signingSecrets: async () => ['a typing error', SECRET] });
    await expect(unsigned('/cases', 'case.opened', {}, options())).rejects.toThrow();
  });

  test('a key of any text fits a header, and still verifies', async () => {
    await call()('/cases', 'case.opened', {}, options('session_review:ä 1:\ud800\r\n'));
    const { headers, body } = received();
    expect(headers['idempotency-key']).toBe('session_review:%C3%A4%201:%EF%BF%BD%0D%0A');
    expect(() => new Webhook(SECRET).verify(body, headers)).not.toThrow();
  });

  test.each([
    [400, false],
    [401, false],
    [404, false],
    [409, false],
    [410, true],
    [422, true],
    [429, false],
    [500, false],
    [503, false],
  ])('HTTP %s is permanent: %s', async (status, permanent) => {
    respond = (response) => response.writeHead(status).end('customer a@example.test is unknown');
    await expect(call()('/fulfillment', 'fulfillment.requested', {}, options())).rejects.toMatchObject({
      name: 'MerchantCallError',
      message: `merchant endpoint POST /fulfillment failed: HTTP ${status}`,
      status,
      permanent,
    });
  });

  test('a redirect is not followed', async () => {
    respond = (response) => response.writeHead(307, { location: `${server.url}/elsewhere` }).end();
    await expect(call()('/alerts', 'alert.opened', {}, options())).rejects.toMatchObject({ status: null });
    expect(server.requests).toHaveLength(1);
  });

  test('silence ends with the timeout', async () => {
    respond = () => undefined;
    await expect(call({ timeoutMs: 50 })('/alerts', 'alert.opened', {}, options())).rejects.toMatchObject({
      message: 'merchant endpoint POST /alerts failed: no answer',
      permanent: false,
    });
  });

  test('a lost lease ends the call with its own reason', async () => {
    const lease = new AbortController();
    const lost = new Error('lease lost');
    respond = () => lease.abort(lost);
    const running = call()('/fulfillment', 'fulfillment.requested', {}, options('m-1001', lease.signal));
    await expect(running).rejects.toBe(lost);
  });

  test('without a secret nothing is sent', async () => {
    const unavailable = new Error('no secret');
    const signingSecrets = () => Promise.reject(unavailable);
    await expect(call({ signingSecrets })('/alerts', 'alert.opened', {}, options())).rejects.toBe(unavailable);
    expect(server.requests).toEqual([]);
  });

  test.each(['http://merchant.test', 'ftp://merchant.test', 'merchant.test', ''])('refuses %j as an address', (url) => {
    expect(() => call({ merchantUrl: url })).toThrow('must be https');
  });

  test.each(['https://merchant.test/hooks', 'http://localhost:1', 'http://[::1]:1'])('takes %j', (url) => {
    expect(() => call({ merchantUrl: url })).not.toThrow();
  });
});
