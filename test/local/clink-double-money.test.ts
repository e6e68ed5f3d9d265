import { expect, test } from 'vitest';
import { decimalOf, decimalsOf, displayAmount, isChargeable, sumOf } from '../../bin/local/clink-double/money.ts';
import { signatureHeaders } from '../../bin/local/clink-double/signing.ts';
import { JsonNumber } from '../../functions/clink/json.ts';

test('the signature agrees with the published test vector', () => {
  const body =
    '{"id":"event_demo_1","object":"event","type":"order.created","created":1786000000000,"data":{"object":' +
    '{"orderId":"order_demo_1","merchantReferenceId":"m-1001","sessionId":"sess_demo_1","status":"created"}}}';
  expect(signatureHeaders('whsec_demo_0123456789abcdef', 1786000000000, body)).toEqual({
    'x-clink-timestamp': '1786000000000',
    'x-clink-signature': 'ab2c96bb80dbc467ba8200c322bdbda7e1df8660bd538089d3b3cce2996d49ab',
    'x-clink-signtype': 'SHA256',
  });
});

test.each([
  ['USD', 2],
  ['JPY', 0],
  ['KRW', 0],
  ['IDR', 0],
  ['KWD', 3],
  ['usd', undefined],
  ['ZZZ', undefined],
])('%s has %s decimals', (currency, decimals) => {
  expect(decimalsOf(currency)).toBe(decimals);
});

test.each([
  ['19.99', 'USD', true],
  ['19.990', 'USD', true],
  ['19.999', 'USD', false],
  ['139659', 'IDR', true],
  ['139659.5', 'IDR', false],
  ['1.234', 'KWD', true],
  ['1e3', 'USD', true],
  ['0', 'USD', false],
  ['0.00', 'USD', false],
  ['-1', 'USD', false],
  ['1e15', 'USD', false],
])('%s %s is chargeable: %s', (source, currency, chargeable) => {
  const amount = decimalOf(new JsonNumber(source));
  expect(amount !== undefined && isChargeable(amount, currency)).toBe(chargeable);
});

test.each(['', ' 1', '0x10', 'NaN', 'Infinity', '1e999', '1,5', '.5', '5.', null, 5, {}])(
  '%j is no amount',
  (value) => {
    expect(decimalOf(value)).toBeUndefined();
  },
);

test('sums are exact where binary floats are not', () => {
  const tenth = decimalOf('0.1') ?? sumOf([]);
  expect(sumOf([tenth, tenth, tenth]).toFixed()).toBe('0.3');
});

test.each([
  [new JsonNumber('39.9'), 'USD', 'USD\u00a039.90'],
  ['139659', 'IDR', 'IDR\u00a0139,659'],
  [new JsonNumber('10000000.01'), 'USD', 'USD\u00a010,000,000.01'],
  ['999999999999999.99', 'USD', 'USD\u00a0999,999,999,999,999.99'],
  ['5', 'what?', '5 what?'],
  [null, 'USD', 'no amount'],
])('%j %s is shown as %s', (amount, currency, shown) => {
  expect(displayAmount(amount, currency)).toBe(shown);
});
