import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import fc from 'fast-check';

import { eventBody, otherBody } from './event-bodies.ts';
import { forgedSigning, rightSigning, type SigningPlan } from './signatures.ts';
import { BEARER_TOKEN, hostileKey, hostileText, hostileValue, SHOPPER_EMAIL } from './values.ts';

/** What is sent where. Plans are plain values, so that a failing one can be made smaller and printed. */

type Headers = readonly (readonly [name: string, value: string])[];

/** How the gateway hands over a body: its text, base64 with the flag, or the two disagreeing, or another encoding. */
const TRANSPORTS = {
  text: (bytes) => ({ body: bytes.toString('utf8'), isBase64Encoded: false }),
  base64: (bytes) => ({ body: bytes.toString('base64'), isBase64Encoded: true }),
  'text flagged as base64': (bytes) => ({ body: bytes.toString('utf8'), isBase64Encoded: true }),
  'base64 without its flag': (bytes) => ({ body: bytes.toString('base64'), isBase64Encoded: false }),
  'bytes as characters': (bytes) => ({ body: bytes.toString('latin1'), isBase64Encoded: false }),
  'broken base64': (bytes) => ({ body: `=${bytes.toString('base64').slice(1)}`, isBase64Encoded: true }),
  'URL-safe base64': (bytes) => ({ body: bytes.toString('base64url'), isBase64Encoded: true }),
  nothing: () => ({ isBase64Encoded: false }),
} satisfies Record<string, (bytes: Buffer) => Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'>>;

/** The bytes that stand for a text. */
const ENCODINGS = {
  'UTF-8': (text) => Buffer.from(text, 'utf8'),
  'UTF-16': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'Latin-1': (text) => Buffer.from(text, 'latin1'),
  gzip: (text) => gzipSync(text),
  // Inside of a text, so that nothing but the encoding is wrong.
  'a stray byte': (text) => Buffer.from(text.replace('"event"', '"ev\xffent"'), 'latin1'),
  'a surrogate in UTF-8': (text) => Buffer.from(text.replace('"event"', '"\xed\xa0\x80"'), 'latin1'),
  'an overlong NUL': (text) => Buffer.from(text.replace('"event"', '"\xc0\x80"'), 'latin1'),
  'cut off': (text) => Buffer.from(text, 'utf8').subarray(0, -1),
} satisfies Record<string, (text: string) => Buffer>;

export type Transport = keyof typeof TRANSPORTS;
export type Encoding = keyof typeof ENCODINGS;

export interface BodyPlan {
  readonly text: string;
  readonly encoding: Encoding;
  readonly transport: Transport;
}

export interface WebhookPlan {
  readonly to: 'webhook';
  readonly body: BodyPlan;
  readonly signing: SigningPlan;
  /** How header names are spelt. */
  readonly spelling: 'lower' | 'upper' | 'title';
  /** Headers besides, among them the same ones again under another spelling. */
  readonly headers: Headers;
}

export interface CheckoutPlan {
  readonly to: 'checkout';
  readonly body: BodyPlan;
  readonly headers: Headers;
  readonly claims: Readonly<Record<string, unknown>> | undefined;
}

export interface LookupPlan {
  readonly to: 'lookup';
  readonly pathParameters: Readonly<Record<string, string>> | undefined;
  readonly body: BodyPlan;
  readonly headers: Headers;
  readonly claims: Readonly<Record<string, unknown>> | undefined;
}

export type Plan = WebhookPlan | CheckoutPlan | LookupPlan;

const plainBody = (text: string): BodyPlan => ({ text, encoding: 'UTF-8', transport: 'text' });

/** The ordinary way most of the time. */
function carried(text: fc.Arbitrary<string>): fc.Arbitrary<BodyPlan> {
  const encoding = fc.constantFrom(...(Object.keys(ENCODINGS) as Encoding[]));
  const transport = fc.constantFrom(...(Object.keys(TRANSPORTS) as Transport[]));
  return fc.oneof(
    { weight: 5, arbitrary: text.map(plainBody) },
    { weight: 2, arbitrary: text.map((of): BodyPlan => ({ ...plainBody(of), transport: 'base64' })) },
    { weight: 1, arbitrary: fc.record({ text, encoding, transport: fc.constant<Transport>('base64') }) },
    { weight: 1, arbitrary: fc.record({ text, encoding, transport }) },
  );
}

const oddHeaders: fc.Arbitrary<Headers> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Headers>([]) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom(
            'X-Clink-Signature',
            'x-clink-Timestamp',
            'X-CLINK-SIGNTYPE',
            'Content-Type',
            'idempotency-key',
          ),
          fc.constantFrom('__proto__', 'constructor', 'authorization', 'content-encoding', 'cookie'),
          hostileKey,
        ),
        fc.oneof(hostileText, fc.constantFrom('SHA256', 'gzip', `Bearer ${BEARER_TOKEN}`, 'application/json')),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  },
);

const spelling = fc.constantFrom('lower' as const, 'upper' as const, 'title' as const);

/** A body as Clink would send it. */
export function signedDeliveryOf(text: string): WebhookPlan {
  return { to: 'webhook', body: plainBody(text), signing: rightSigning, spelling: 'title', headers: [] };
}

/** Signed as Clink signs, whatever is inside. */
const signedDelivery: fc.Arbitrary<WebhookPlan> = fc.record({
  to: fc.constant('webhook' as const),
  body: carried(fc.oneof({ weight: 6, arbitrary: eventBody }, { weight: 1, arbitrary: otherBody })),
  signing: fc.constant(rightSigning),
  spelling,
  headers: fc.constant<Headers>([]),
});

const forgedDelivery: fc.Arbitrary<WebhookPlan> = fc.record({
  to: fc.constant('webhook' as const),
  body: carried(fc.oneof(eventBody, otherBody)),
  signing: forgedSigning,
  spelling,
  headers: oddHeaders,
});

const claims: fc.Arbitrary<Readonly<Record<string, unknown>> | undefined> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ sub: 'customer_1', email: SHOPPER_EMAIL }) },
  { weight: 1, arbitrary: fc.constant(undefined) },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        sub: fc.oneof(
          hostileText,
          fc.constantFrom<unknown>(['customer_1'], 7, null, { sub: 'customer_1' }, 'customer_1'),
        ),
        email: fc.oneof(hostileText, fc.constantFrom<unknown>([SHOPPER_EMAIL], 7, null, {}, true)),
        iss: hostileText,
      },
      { requiredKeys: [] },
    ),
  },
);

/** Name and source of what a checkout's body may have in place of a usable field. */
const checkoutBody: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constant('{"productId":"poster","quantity":1}') },
  {
    weight: 6,
    arbitrary: fc
      .record({
        productId: fc.oneof(fc.constant('"poster"'), hostileValue),
        quantity: fc.oneof(fc.constantFrom('1', '2e0', '100', '1.5', '101', '1e400', '"1"'), hostileValue),
        extra: fc.array(fc.tuple(hostileKey, hostileValue), { maxLength: 1 }),
      })
      .map(({ productId, quantity, extra }) => {
        const extras = extra.map(([name, source]) => `,${JSON.stringify(name)}:${source}`).join('');
        return `{"productId":${productId},"quantity":${quantity}${extras}}`;
      }),
  },
  { weight: 1, arbitrary: otherBody },
);

const mediaType: fc.Arbitrary<Headers> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Headers>([['content-type', 'application/json']]) },
  {
    weight: 1,
    arbitrary: fc
      .oneof(
        fc.constantFrom(
          'application/json; charset=utf-16',
          'application/problem+json',
          'text/json',
          'application/JSON',
        ),
        hostileText,
      )
      .map((value): Headers => [['Content-Type', value]]),
  },
  { weight: 1, arbitrary: fc.constant<Headers>([]) },
);

const idempotencyKey: fc.Arbitrary<Headers> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Headers>([]) },
  { weight: 1, arbitrary: fc.constantFrom('click-1', 'click-2').map((key): Headers => [['Idempotency-Key', key]]) },
  { weight: 1, arbitrary: hostileText.map((key): Headers => [['idempotency-key', key]]) },
);

const checkout: fc.Arbitrary<CheckoutPlan> = fc
  .tuple(carried(checkoutBody), mediaType, idempotencyKey, oddHeaders, claims)
  .map(([body, type, key, odd, of]) => ({ to: 'checkout', body, headers: [...odd, ...type, ...key], claims: of }));

const lookup: fc.Arbitrary<LookupPlan> = fc.record({
  to: fc.constant('lookup' as const),
  pathParameters: fc.oneof(
    fc.constant(undefined),
    fc.constantFrom({}, { id: '@@order@@' }, { id: '@@other-order@@' }, { ID: '@@order@@' }),
    hostileText.map((id) => ({ id })),
  ),
  body: carried(otherBody),
  headers: oddHeaders,
  claims,
});

export const anyRequest: fc.Arbitrary<Plan> = fc.oneof(
  { weight: 5, arbitrary: signedDelivery },
  { weight: 3, arbitrary: forgedDelivery },
  { weight: 3, arbitrary: checkout },
  { weight: 1, arbitrary: lookup },
);

export function encode({ text, encoding }: BodyPlan): Buffer {
  return ENCODINGS[encoding](text);
}

export function transport({ transport: way }: BodyPlan, bytes: Buffer) {
  return TRANSPORTS[way](bytes);
}

/** The bytes that arrive, by the gateway's own rule. */
export function arriving({ body = '', isBase64Encoded }: ReturnType<typeof transport> & { body?: string }): Buffer {
  return Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
}
