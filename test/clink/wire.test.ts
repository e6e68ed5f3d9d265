import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, JsonNumber, parseJson } from '../../functions/clink/json.ts';
import {
  readCreatedSession,
  readEvent,
  readOrderAnswer,
  UnreadableEventError,
  writeSessionRequest,
} from '../../functions/clink/wire.ts';

const order = { orderId: 'order_1', merchantReferenceId: 'mo_1', sessionId: 'sess_1' };
const body = (event: object) =>
  JSON.stringify({ id: 'event_1', object: 'event', type: 'order.created', created: 1_786_000_000_000, ...event });

describe('an event', () => {
  it('is read from data.object', () => {
    expect(
      readEvent(
        body({ type: 'order.succeeded', data: { object: { ...order, amountTotal: 19.99, paymentCurrency: 'USD' } } }),
      ),
    ).toEqual({
      kind: 'order',
      id: 'event_1',
      type: 'order.succeeded',
      created: 1_786_000_000_000,
      attemptStatus: 'succeeded',
      merchantOrderId: 'mo_1',
      clinkOrderId: 'order_1',
      clinkSessionId: 'sess_1',
      amountTotal: '19.99',
      paymentCurrency: 'USD',
      recurring: false,
      failureCode: null,
      failureMessage: null,
    });
  });

  it.each([
    ['flat data', order],
    ['flat data beside a label', { ...order, object: 'order' }],
  ])('is read from %s', (_what, data) => {
    expect(readEvent(body({ data }))).toMatchObject({ clinkOrderId: 'order_1', merchantOrderId: 'mo_1' });
  });

  it.each([
    ['milliseconds', 1_786_000_000_000, 1_786_000_000_000],
    ['seconds', 1_786_000_000, 1_786_000_000_000],
    ['milliseconds as text', '1786000000000', 1_786_000_000_000],
    ['ISO with Z', '2026-08-06T07:06:40Z', 1_786_000_000_000],
    ['ISO with an offset', '2026-08-06T09:06:40.000+02:00', 1_786_000_000_000],
    ['ISO without a zone', '2026-08-06T07:06:40', null],
    ['a date that is none', '2026-13-45T99:00:00Z', null],
    ['words', 'yesterday', null],
    ['a fraction', 1.5, null],
    ['a negative time', -1, null],
    ['too large a number', 1e20, null],
    ['nothing', undefined, null],
    ['null', null, null],
    ['an object', {}, null],
  ])('has its time from %s', (_what, created, expected) => {
    expect(readEvent(body({ created, data: { object: order } })).created).toBe(expected);
  });

  it.each([undefined, null, '', ' ', 'null', ' NULL ', 'x'.repeat(256), {}, [], true])(
    'has no reference in %j',
    (value) => {
      expect(readEvent(body({ data: { object: { ...order, merchantReferenceId: value } } }))).toMatchObject({
        merchantOrderId: null,
      });
    },
  );

  it.each([
    'constructor',
    'toString',
    '__proto__',
    'hasOwnProperty',
    'refund.created',
    'order.refunded',
    'session.completed',
  ])('of type %s is nothing that this backend acts on', (type) => {
    expect(readEvent(body({ type, data: { object: order } }))).toMatchObject({ kind: 'other', type });
  });

  it.each([
    '',
    'x',
    '[]',
    '"event"',
    'null',
    '1',
    '{}',
    '{"id":"e"}',
    '{"type":"t"}',
    '{"id":"","type":"t"}',
    `${'['.repeat(200_000)}`,
  ])('that is %.20s cannot be stored', (text) => {
    expect(() => readEvent(text)).toThrow(UnreadableEventError);
  });

  it('may begin with a byte order mark and keep odd white space', () => {
    expect(readEvent(`\uFEFF\n ${body({ data: order })} \n`).id).toBe('event_1');
  });

  it('has text that PostgreSQL can hold', () => {
    const event = readEvent('{"id":"a\\u0000b\\ud800","type":"order.failed","data":{"failureMessage":"x\\u0000"}}');
    expect(event).toMatchObject({ id: 'a\uFFFDb\uFFFD', failureMessage: 'x\uFFFD' });
  });

  it('names a completed session by the API’s word', () => {
    expect(readEvent(body({ type: 'session.complete', data: { ...order, status: 'complete' } }))).toMatchObject({
      kind: 'session',
      sessionStatus: 'completed',
      statedStatus: 'completed',
    });
  });
});

describe('amounts', () => {
  const read = (source: string) =>
    readEvent(`{"id":"e","type":"order.succeeded","data":{"object":{"amountTotal":${source}}}}`);

  it.each([
    ['19.99', '19.99'],
    ['19.90', '19.90'],
    ['2', '2'],
    ['"9.90"', '9.90'],
    ['12345678901234.5678', '12345678901234.5678'],
    ['1.0E7', '10000000'],
    ['1.39659E+5', '139659'],
    ['5e-1', '0.5'],
    ['"1e3"', '1e3'],
    ['-5', '-5'],
    ['null', null],
    ['true', null],
    ['[1]', null],
    ['{}', null],
  ])('%s is %s', (source, expected) => {
    expect(read(source)).toMatchObject({ amountTotal: expected });
  });

  it('keep every digit of any JSON number, both ways', () => {
    const number = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.stringMatching(/^\d{0,20}$/))
      .map(([whole, fraction]) => (fraction === '' ? `${whole}` : `${whole}.${fraction}`));
    fc.assert(
      fc.property(number, (source) => {
        const parsed = parseJson(`{"n":${source}}`);
        return isJsonObject(parsed) && JSON.stringify(parsed) === `{"n":${source}}` && parsed.n instanceof JsonNumber;
      }),
    );
  });

  it('go out as numbers with exactly the digits that were computed', () => {
    const request = writeSessionRequest({
      merchantOrderId: 'mo_1',
      customerId: 'c',
      customerEmail: null,
      productName: 'Poster',
      unitAmount: '0.10',
      quantity: 3,
      amount: '0.30',
      currency: 'USD',
      successUrl: 'https://shop.example/return',
      cancelUrl: 'https://shop.example/cancel',
    });
    expect(JSON.stringify(request)).toContain('"originalAmount":0.30,');
    expect(JSON.stringify(request)).toContain('"unitAmount":0.10,');
    expect(request).not.toHaveProperty('customerEmail');
  });
});

describe('answers', () => {
  it('of an order are read like its events, with the status', () => {
    expect(
      readOrderAnswer({ ...order, status: 'success', amountTotal: new JsonNumber('2'), paymentCurrency: 'usd' }),
    ).toMatchObject({
      clinkOrderId: 'order_1',
      status: 'success',
      amountTotal: '2',
      paymentCurrency: 'usd',
    });
  });

  it.each([{}, { sessionId: 's' }, { url: 'https://x.example' }, { sessionId: 's', url: 'not a url' }])(
    'without a session to pay in are none: %j',
    (data) => {
      expect(readCreatedSession(data)).toBeNull();
    },
  );
});
