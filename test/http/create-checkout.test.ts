import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { beforeEach, describe, expect, test, vi } from 'vitest';

import { CheckoutRefusedError } from '../../functions/flows/checkout-refused.ts';
import { type CreateCheckoutDeps, createCheckoutHandler } from '../../functions/http/create-checkout.ts';
import { lambdaContext, signedInPayload } from './payload.ts';

vi.mock('../../functions/platform/metrics.ts', () => ({ count: vi.fn() }));

const startCheckout = vi.fn<CreateCheckoutDeps['startCheckout']>();

beforeEach(() => {
  startCheckout.mockReset().mockResolvedValue({ merchantOrderId: 'm-1001', checkoutUrl: 'https://checkout.test/1' });
});

const BODY = '{"productId":"book","quantity":2}';
const ONLY = 'The body must have the fields productId and quantity and no other.';
const CLAIMS = { sub: 'customer-1', email: 'a@example.test' };

async function answer(changes: Partial<APIGatewayProxyEventV2> = {}, claims: Record<string, string> = CLAIMS) {
  const headers = { 'content-type': 'application/json', ...changes.headers };
  const event = signedInPayload(claims, { body: BODY, ...changes, headers });
  const result = await createCheckoutHandler({ startCheckout })(event, lambdaContext);
  expect(result.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
  return { status: result.statusCode, body: JSON.parse(result.body ?? '') as unknown, headers: result.headers };
}

const refusal = (status: number, code: string, message: unknown = expect.any(String)) =>
  expect.objectContaining({ status, body: { error: { code, message } } });

describe('POST /api/checkout/create', () => {
  test('starts a checkout of the caller, and answers with where to pay', async () => {
    expect(await answer({ headers: { 'idempotency-key': 'click-1' } })).toMatchObject({
      status: 200,
      body: { merchantOrderId: 'm-1001', checkoutUrl: 'https://checkout.test/1' },
    });
    expect(startCheckout).toHaveBeenCalledExactlyOnceWith({
      customerId: 'customer-1',
      customerEmail: 'a@example.test',
      productId: 'book',
      quantity: 2,
      idempotencyKey: 'click-1',
    });
  });

  test('takes a base64 body, and does without key and email', async () => {
    const body = Buffer.from(BODY).toString('base64');
    expect(await answer({ body, isBase64Encoded: true }, { sub: 'customer-1' })).toMatchObject({ status: 200 });
    expect(startCheckout.mock.calls[0]?.[0]).toMatchObject({ customerEmail: null, idempotencyKey: null });
  });

  test.each([
    ['{"productId":"book","quantity":1,"price":"0.01"}', ONLY],
    ['{"productId":"book","quantity":1,"constructor":1}', ONLY],
    [`{"productId":"book","quantity":1,"${'x'.repeat(99)}":1}`, ONLY],
    ['{"quantity":1}', 'productId: must be a text of 1 to 255 characters.'],
    ['{"productId":"","quantity":1}', 'productId: must be a text of 1 to 255 characters.'],
    ['{"productId":7,"quantity":1}', 'productId: must be a text of 1 to 255 characters.'],
    ['{"productId":"a\\u0000","quantity":1}', 'productId: must be a text of 1 to 255 characters.'],
    ['{"productId":"a\\ud800","quantity":1}', 'productId: must be a text of 1 to 255 characters.'],
    [`{"productId":"${'x'.repeat(256)}","quantity":1}`, 'productId: must be a text of 1 to 255 characters.'],
    ['{"productId":"book"}', 'quantity: must be a whole number from 1 to 100.'],
    ['{"productId":"book","quantity":0}', 'quantity: must be a whole number from 1 to 100.'],
    ['{"productId":"book","quantity":101}', 'quantity: must be a whole number from 1 to 100.'],
    ['{"productId":"book","quantity":1.5}', 'quantity: must be a whole number from 1 to 100.'],
    ['{"productId":"book","quantity":"1"}', 'quantity: must be a whole number from 1 to 100.'],
    ['{"productId":"book","quantity":1e999}', 'quantity: must be a whole number from 1 to 100.'],
    ['[]', 'productId: must be a text of 1 to 255 characters.'],
    ['"book"', 'The body must be an object.'],
    ['null', 'The body must be an object.'],
  ])('refuses %s', async (body, message) => {
    expect(await answer({ body })).toEqual(refusal(400, 'invalid_request', message));
    expect(startCheckout).not.toHaveBeenCalled();
  });

  test.each(['', '{', 'productId=book', '{"productId":"book","quantity":1}}', '{"__proto__":{},"quantity":1}'])(
    'refuses a body that is not JSON: %j',
    async (body) => {
      expect(await answer({ body })).toEqual(refusal(400, 'invalid_json'));
    },
  );

  test('refuses a missing body, another media type and a body that is too long', async () => {
    const event = signedInPayload(CLAIMS, { headers: { 'content-type': 'application/json' } });
    const missing = await createCheckoutHandler({ startCheckout })(event, lambdaContext);
    expect(missing).toMatchObject({ statusCode: 400 });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await answer({ headers: form })).toEqual(refusal(415, 'unsupported_media_type'));
    expect(await answer({ body: `"${'é'.repeat(8_192)}"` })).toEqual(refusal(413, 'body_too_large'));
  });

  test.each(['', 'a b', 'clé', 'x'.repeat(256)])('refuses %j as an idempotency key', async (key) => {
    const message = 'Idempotency-Key: must be 1 to 255 visible ASCII characters.';
    expect(await answer({ headers: { 'Idempotency-Key': key } })).toEqual(refusal(400, 'invalid_request', message));
  });

  test.each([{}, { sub: '' }, { sub: 'a\0' }])('refuses a caller without a usable subject: %j', async (claims) => {
    expect(await answer({}, claims)).toEqual(refusal(401, 'unauthenticated'));
  });

  test.each([
    ['product_not_found', 404],
    ['currency_not_supported', 422],
    ['amount_not_supported', 422],
    ['idempotency_key_reused', 409],
    ['checkout_in_progress', 409],
    ['payment_provider_unavailable', 502],
    ['payment_provider_refused', 502],
  ] as const)('tells the caller of %s with %s', async (code, status) => {
    startCheckout.mockRejectedValue(new CheckoutRefusedError(code));
    const result = await answer();
    expect(result).toEqual(refusal(status, code));
    expect(result.headers?.['retry-after']).toBe(code === 'checkout_in_progress' ? '1' : undefined);
  });

  test('tells nothing of what it did not expect', async () => {
    startCheckout.mockRejectedValue(Object.assign(new Error('relation "x" of a@example.test'), { code: '42P01' }));
    const message = 'Something went wrong on our side.';
    expect(await answer()).toEqual(refusal(500, 'internal_error', message));
  });
});
