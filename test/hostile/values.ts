import fc from 'fast-check';

/**
 * Must never be seen again: not in an answer, not in a log line. Neither is shaped like an id, for what Clink has signed as
 * an event's id and what looks like one is one.
 */
export const SHOPPER_EMAIL = 'canary.shopper@leak.test';
export const BEARER_TOKEN = 'canary/bearer+token=';

const NUMBERS = [
  ...['0', '-0', '1', '1.0', '0.1e1', '1E7', '1e400', '-1e400', '1e-400', '1e999', '-1', '9007199254740993'],
  ...['19.99', '19.990', '1999e-2', '-19.99', '0.00001', '99999999999999.9999', '1786000000', '1786000000000', '1e15'],
  ...[`1${'0'.repeat(400)}`, `0.${'3'.repeat(400)}`],
];

/** What PostgreSQL cannot hold, and what cannot be held once it is cut: a pair of surrogates across each length of a cut. */
const UNSTORABLE = [
  ...['\0', 'a\0b', '\ud800', 'x\udc00', '19.99\0', '\0USD'],
  ...[63, 254, 499].map((length) => `${'x'.repeat(length)}😀`),
];

const TEXTS = [
  ...['', ' ', '\t\n', 'null', ' NULL ', '\ufeff', '\u202e', '\uffff', '😀'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'NaN', 'Infinity', '0x10', '1e3', '-1', '+1', '1_000'],
  ...[' 19.99 ', '19,99', '19.99', '0', '١٩', '1786000000000', '1786000000', '9'.repeat(17), '2026-08-06T00:00:00Z'],
  ...['2026-08-06T00:00', '2026-13-45T99:99:99Z', '9999-12-31T23:59:59+99:99', '1969-12-31T23:59:59Z', '2026-08-06'],
  ...[
    '../../etc/passwd',
    '..',
    '%2e%2e%2f',
    '%00',
    "'; DROP TABLE webhook_events; --",
    '<script>1</script>',
    '$1',
    '{}',
  ],
  ...[
    'success',
    'complete',
    'completed',
    'expired',
    'refunded',
    'recurring',
    'USD',
    'usd',
    ' JPY ',
    'XXX',
    'US',
    'ＵＳＤ',
  ],
  ...[SHOPPER_EMAIL, BEARER_TOKEN, '@@order@@', '@@session@@', '@@attempt@@', '@@other-order@@', '@@other-session@@'],
  ...[63, 254, 255, 256, 499, 500, 501, 70_000].map((length) => 'x'.repeat(length)),
];

/** Source texts for a sweep over all fields: those that the database minds, and all those that can stand for a value. */
export const UNSTORABLE_VALUES: readonly string[] = UNSTORABLE.map((text) => JSON.stringify(text));
export const allValues = (): readonly string[] => [
  ...NUMBERS,
  ...[...TEXTS, ...UNSTORABLE].map((text) => JSON.stringify(text)),
  ...STRUCTURES,
];

const NESTED = (depth: number) => [
  `${'['.repeat(depth)}${']'.repeat(depth)}`,
  `${'{"object":'.repeat(depth)}1${'}'.repeat(depth)}`,
];

const STRUCTURES = [
  ...['null', 'true', 'false', '[]', '{}', '["x"]', '[[],{}]', '{"orderId":"x"}', '{"object":{}}', '{"object":null}'],
  ...['{"__proto__":{"orderId":"x"}}', '{"constructor":{"prototype":{}}}', '{"length":1e9}', '{"source":"1"}'],
  ...['{"toJSON":1,"toString":1,"valueOf":1}', ...NESTED(100), ...NESTED(3_000), ...NESTED(20_000)],
];

/** In the place of a value these make the whole body something other than JSON. */
const BROKEN = [
  ...['NaN', '-Infinity', 'undefined', '00', '01', '1.', '.5', '+1', '0x10', "'x'", '"\x01"', '"\\x"', '"\\ud8"', ''],
  ...['"unfinished', '[1,]', '{"a":1,}', '{a:1}', '/**/1', '"a\nb"', '\0', '\ufeff1', '1n', ']', '}'],
];

/** The source text of a JSON value that nobody should send. */
export const hostileValue: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 7, arbitrary: fc.constantFrom(...TEXTS).map((text) => JSON.stringify(text)) },
  { weight: 3, arbitrary: fc.constantFrom(...UNSTORABLE).map((text) => JSON.stringify(text)) },
  { weight: 3, arbitrary: fc.constantFrom(...STRUCTURES) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
);

/** A text that is put where a header, a path parameter or a claim should be. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
);

/** Names that an object has, or seems to have, without being given them. */
export const hostileKey: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'toJSON', '', '\0', '\ud800', 'orderId\0'),
  fc.string({ unit: 'binary' }),
);
