/** Every word that an answer may consist of. An echo, a stack or a message from below is none of them. */

const WEBHOOK: ReadonlyMap<number, string> = new Map([
  [200, 'ok'],
  [400, 'unreadable'],
  [401, 'invalid signature'],
  [413, 'too large'],
]);

const PROBLEMS: ReadonlyMap<string, readonly [status: number, messages: readonly string[]]> = new Map([
  ['unauthenticated', [401, ['Sign in first.']]],
  ['order_not_found', [404, ['There is no such order of yours.']]],
  ['product_not_found', [404, ['There is no such product on sale.']]],
  ['idempotency_key_reused', [409, ['This idempotency key belongs to another checkout.']]],
  ['body_too_large', [413, ['The body is longer than 16384 bytes.']]],
  ['unsupported_media_type', [415, ['The body must be application/json.']]],
  ['invalid_json', [400, ['The body is not valid JSON.']]],
  [
    'invalid_request',
    [
      400,
      [
        'The body must be an object.',
        'The body must have the fields productId and quantity and no other.',
        'productId: must be a text of 1 to 255 characters.',
        'quantity: must be a whole number from 1 to 100.',
        'Idempotency-Key: must be 1 to 255 visible ASCII characters.',
      ],
    ],
  ],
]);

/** What is wrong with the webhook's answer, or null. */
export function faultOfWebhookAnswer(status: number, body: string): string | null {
  return WEBHOOK.get(status) === body ? null : `the webhook answered ${status} ${JSON.stringify(body.slice(0, 200))}`;
}

/** What is wrong with the answer of a JSON route, or null; a success is looked at by whoever knows what was asked. */
export function faultOfJsonAnswer(status: number, body: string): string | null {
  if (status === 200) return null;
  const { error, ...rest } = JSON.parse(body) as { error?: { code?: string; message?: string } };
  const [expected, messages] = PROBLEMS.get(error?.code ?? '') ?? [];
  const isKnown = expected === status && messages?.includes(error?.message ?? '');
  const isBare = Object.keys(rest).length === 0 && Object.keys(error ?? {}).length === 2;
  return isKnown && isBare ? null : `a JSON route answered ${status} ${body.slice(0, 200)}`;
}
