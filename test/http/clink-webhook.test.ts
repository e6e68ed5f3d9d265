import { createHash } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { beforeEach, describe, expect, test, vi } from 'vitest';

import { type ClinkWebhookDeps, clinkWebhookHandler } from '../../functions/http/clink-webhook.ts';
import { log } from '../../functions/platform/log.ts';
import { count } from '../../functions/platform/metrics.ts';
import { clinkSignature, lambdaContext, payload } from './payload.ts';

vi.mock('../../functions/platform/metrics.ts', () => ({ count: vi.fn() }));

const SECRET = 'whsec_demo_0123456789abcdef';
const NOW = 1_786_000_000_000;
const BODY = '{"id":"event_1","type":"order.created","created":1786000000000,"data":{"object":{"orderId":"order_1"}}}';

const receive = vi.fn<ClinkWebhookDeps['receive']>();
const read = vi.fn<() => Promise<readonly string[]>>();
const refresh = vi.fn<() => Promise<readonly string[]>>();

beforeEach(() => {
  vi.mocked(count).mockReset();
  receive.mockReset().mockResolvedValue('stored');
  read.mockReset().mockResolvedValue([SECRET]);
  refresh.mockReset().mockResolvedValue([SECRET]);
});

interface Delivery {
  body?: string | Uint8Array;
  base64?: boolean;
  secret?: string;
  timestamp?: number;
  headers?: Record<string, string | undefined>;
}

function delivery({ body = BODY, base64 = false, secret = SECRET, timestamp = NOW, headers = {} }: Delivery = {}) {
  const bytes = Buffer.from(body);
  return payload({
    body: bytes.toString(base64 ? 'base64' : 'utf8'),
    isBase64Encoded: base64,
    headers: {
      'x-clink-timestamp': String(timestamp),
      'x-clink-signtype': 'SHA256',
      'x-clink-signature': clinkSignature(secret, String(timestamp), bytes),
      ...headers,
    },
  });
}

async function answer(event: APIGatewayProxyEventV2, maxBodyBytes?: number) {
  const deps = { signingSecrets: { read, refresh }, receive, replayWindowMs: 300_000, now: () => NOW };
  const handler = clinkWebhookHandler(maxBodyBytes === undefined ? deps : { ...deps, maxBodyBytes });
  const { statusCode, body, headers } = await handler(event, lambdaContext);
  expect(headers?.['content-type']).toBe('text/plain; charset=utf-8');
  return `${statusCode} ${body}`;
}

const metrics = () => vi.mocked(count).mock.calls.map(([name]) => name);

describe('an authentic event', () => {
  test('is received as Clink sent it, and acknowledged', async () => {
    expect(await answer(delivery())).toBe('200 ok');
    const hash = createHash('sha256').update(BODY).digest('hex');
    expect(receive).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ kind: 'order', id: 'event_1', clinkOrderId: 'order_1', created: NOW }),
      { text: BODY, hash },
    );
    expect(metrics()).toEqual([]);
  });

  test('is decoded from base64 by the flag of the gateway alone', async () => {
    expect(await answer(delivery({ base64: true }))).toBe('200 ok');
    expect(receive.mock.calls[0]?.[1].text).toBe(BODY);
    expect(await answer({ ...delivery({ base64: true }), isBase64Encoded: false })).toBe('401 invalid signature');
    expect(await answer({ ...delivery(), isBase64Encoded: true })).toBe('401 invalid signature');
  });

  test('may have header names in any case', async () => {
    const { headers, ...rest } = delivery();
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    expect(await answer({ ...rest, headers: upper })).toBe('200 ok');
  });

  test('keeps its blanks, its line ends and its byte order mark', async () => {
    const body = `\ufeff  ${BODY}\r\n`;
    expect(await answer(delivery({ body }))).toBe('200 ok');
    expect(receive.mock.calls[0]?.[1].text).toBe(body);
  });

  test('keeps text beyond ASCII in either form', async () => {
    const body = BODY.replace('order_1', 'ordre_é😀');
    expect(await answer(delivery({ body }))).toBe('200 ok');
    expect(await answer(delivery({ body, base64: true }))).toBe('200 ok');
    expect(receive.mock.calls.map(([, { text }]) => text)).toEqual([body, body]);
  });

  test('of a type that nobody knows is received as well', async () => {
    expect(await answer(delivery({ body: '{"id":"event_2","type":"constructor"}' }))).toBe('200 ok');
    expect(receive.mock.calls[0]?.[0]).toMatchObject({ kind: 'other', type: 'constructor' });
  });

  test('is acknowledged when it came before', async () => {
    receive.mockResolvedValue('duplicate');
    expect(await answer(delivery())).toBe('200 ok');
    expect(metrics()).toEqual([]);
  });

  test('is acknowledged and counted when it came before with another body', async () => {
    receive.mockResolvedValue('duplicate_with_other_body');
    expect(await answer(delivery())).toBe('200 ok');
    expect(metrics()).toEqual(['WebhookDuplicateOtherBody']);
  });

  test('is asked for again when it could not be stored', async () => {
    receive.mockRejectedValue(new Error('connection lost'));
    expect(await answer(delivery())).toBe('500 retry later');
    expect(metrics()).toEqual(['WebhookNotStored']);
  });

  test('is not acknowledged before it is stored', async () => {
    const stored = Promise.withResolvers<'stored'>();
    const called = Promise.withResolvers<void>();
    receive.mockImplementation(() => {
      called.resolve();
      return stored.promise;
    });
    let answered = false;
    const answering = answer(delivery()).finally(() => {
      answered = true;
    });
    await called.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    stored.resolve('stored');
    expect(await answering).toBe('200 ok');
  });
});

describe('an authentic delivery that is no event', () => {
  test.each([
    ['nothing', ''],
    ['no JSON', 'hello'],
    ['no object', '[]'],
    ['no id', '{"type":"order.created"}'],
    ['no type', '{"id":"event_1"}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['nesting without end', `${'['.repeat(100_000)}`],
  ])('is refused and counted: %s', async (_what, body) => {
    expect(await answer(delivery({ body, base64: true }))).toBe('400 unreadable');
    expect(metrics()).toEqual(['WebhookUnreadable']);
    expect(receive).not.toHaveBeenCalled();
  });
});

describe('a delivery that proves nothing', () => {
  const wrong = clinkSignature('whsec_other', String(NOW), BODY);
  const doubled = `${clinkSignature(SECRET, String(NOW), BODY)},${clinkSignature(SECRET, String(NOW), BODY)}`;

  test.each([
    ['missing_header', 'WebhookHeadersMissing', { headers: { 'x-clink-signature': undefined } }],
    ['missing_header', 'WebhookHeadersMissing', { headers: { 'x-clink-timestamp': undefined } }],
    ['missing_header', 'WebhookHeadersMissing', { headers: { 'x-clink-signtype': undefined } }],
    ['wrong_sign_type', 'WebhookHeadersMalformed', { headers: { 'x-clink-signtype': 'SHA1' } }],
    ['bad_timestamp', 'WebhookHeadersMalformed', { headers: { 'x-clink-timestamp': `${NOW},${NOW}` } }],
    ['malformed_signature', 'WebhookHeadersMalformed', { headers: { 'x-clink-signature': doubled } }],
    ['mismatch', 'WebhookSignatureMismatch', { headers: { 'x-clink-signature': wrong } }],
    ['mismatch', 'WebhookSignatureMismatch', { secret: 'whsec_other', timestamp: NOW - 300_001 }],
    ['stale_but_authentic', 'WebhookStaleButAuthentic', { timestamp: NOW - 300_001 }],
    ['stale_but_authentic', 'WebhookStaleButAuthentic', { timestamp: NOW + 300_001 }],
  ] as const)('gets one answer whatever is wrong: %s', async (reason, metric, changes) => {
    const warn = vi.spyOn(log, 'warn');
    expect(await answer(delivery(changes))).toBe('401 invalid signature');
    expect(metrics()).toEqual([metric]);
    expect(warn).toHaveBeenCalledExactlyOnceWith('webhook_rejected', expect.objectContaining({ reason }));
    expect(receive).not.toHaveBeenCalled();
  });

  test('a stale one is logged with its age', async () => {
    const warn = vi.spyOn(log, 'warn');
    await answer(delivery({ timestamp: NOW - 3_600_000 }));
    expect(warn).toHaveBeenCalledExactlyOnceWith('webhook_rejected', {
      reason: 'stale_but_authentic',
      ageMs: 3_600_000,
    });
  });

  test('is refused by size before anything else', async () => {
    expect(await answer(delivery({ body: 'x'.repeat(262_145) }))).toBe('413 too large');
    expect(metrics()).toEqual(['WebhookTooLarge']);
    expect(read).not.toHaveBeenCalled();
  });

  test('the size is that of the bytes', async () => {
    const size = Buffer.byteLength(BODY);
    expect(await answer(delivery({ base64: true }), size)).toBe('200 ok');
    expect(await answer(delivery({ base64: true }), size - 1)).toBe('413 too large');
    const accents = BODY.replace('order_1', 'é'.repeat(7));
    expect(await answer(delivery({ body: accents }), size)).toBe('413 too large');
  });
});

describe('signing secrets', () => {
  test('one that was just rotated in works at once', async () => {
    refresh.mockResolvedValue(['whsec_new', SECRET]);
    expect(await answer(delivery({ secret: 'whsec_new' }))).toBe('200 ok');
    expect(refresh).toHaveBeenCalledOnce();
  });

  test('are refreshed only when a signature does not match', async () => {
    await answer(delivery());
    await answer(delivery({ timestamp: NOW - 300_001 }));
    await answer(delivery({ headers: { 'x-clink-signature': 'none' } }));
    expect(refresh).not.toHaveBeenCalled();
  });

  test.each([
    ['cannot be loaded', () => Promise.reject(new Error('throttled'))],
    ['are none', () => Promise.resolve([])],
    ['are blank', () => Promise.resolve(['', ' '])],
  ])('the door is closed while they %s', async (_what, load) => {
    read.mockImplementation(load);
    expect(await answer(delivery())).toBe('503 retry later');
    expect(metrics()).toEqual(['WebhookSecretUnavailable']);
    expect(receive).not.toHaveBeenCalled();
  });

  test('a mismatch is not complete while the fresh ones cannot be loaded', async () => {
    refresh.mockRejectedValue(new Error('throttled'));
    expect(await answer(delivery({ secret: 'whsec_new' }))).toBe('503 retry later');
  });
});
