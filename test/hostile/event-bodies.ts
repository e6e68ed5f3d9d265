import fc from 'fast-check';

import { hostileKey, hostileValue, SHOPPER_EMAIL } from './values.ts';

/** Members of an object in JSON, in order and with repetitions: a name and the source text of its value. */
type Members = readonly (readonly [name: string, source: string])[];

const ENVELOPE: Members = [
  ['id', '"@@event@@"'],
  ['object', '"event"'],
  ['created', '1786000000000'],
];

const ORDER: Members = [
  ['orderId', '"@@attempt@@"'],
  ['merchantReferenceId', '"@@order@@"'],
  ['sessionId', '"@@session@@"'],
  ['status', '"success"'],
  ['type', '"one_time"'],
];
/** Read by nothing, so never spoiled. */
const BESIDES: Members = [
  ['customerEmail', `"${SHOPPER_EMAIL}"`],
  ['metadata', '{}'],
];
const PAYMENT: Members = [
  ['amountTotal', '19.99'],
  ['paymentCurrency', '"USD"'],
];
const FAILURE: Members = [
  ['failureCode', '"card_declined"'],
  ['failureMessage', '"The card was declined."'],
];
const SESSION: Members = [
  ['sessionId', '"@@session@@"'],
  ['merchantReferenceId', '"@@order@@"'],
];
const REFUND: Members = [
  ['refundId', '"@@refund@@"'],
  ['orderId', '"@@attempt@@"'],
  ['refundAmount', '0.01'],
  ['refundCurrency', '"USD"'],
  ['status', '"success"'],
];

/** Every type that something follows from, with the fields that it is decided from, money twice; and some others. */
const EVENTS: readonly (readonly [type: string, resource: Members])[] = [
  ['order.created', ORDER],
  ['order.next_action', ORDER],
  ['order.succeeded', [...ORDER, ...PAYMENT]],
  ['order.succeeded', [...ORDER, ...PAYMENT]],
  ['refund.succeeded', REFUND],
  ['order.failed', [...ORDER, ...FAILURE]],
  ['session.complete', [...SESSION, ['status', '"complete"']]],
  ['session.expired', [...SESSION, ['status', '"expired"']]],
  ['refund.succeeded', REFUND],
  ['customer.verified', ORDER],
  ['constructor', ORDER],
  ['Order.Succeeded ', [...ORDER, ...PAYMENT]],
];

function rarely<T>(extra: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.tuple(extra) });
}

/** What is done to the members of one object: a value replaced, left out or given twice, and members nobody asked for. */
function spoiled(members: Members): fc.Arbitrary<Members> {
  const replaced = fc.tuple(fc.nat(), fc.constantFrom('instead', 'again', 'gone'), hostileValue);
  const extra = fc.tuple(hostileKey, hostileValue);
  return fc.tuple(fc.array(replaced, { maxLength: 2 }), rarely(extra)).map(([changes, extras]) => {
    let result: Members = members;
    for (const [place, how, source] of changes) {
      const index = place % Math.max(result.length, 1);
      const name = result[index]?.[0];
      if (name === undefined) continue;
      const changed: Members = how === 'again' ? [[name, result[index]?.[1] ?? 'null']] : [];
      result = result.toSpliced(index, 1, ...changed, ...(how === 'gone' ? [] : [[name, source] as const]));
    }
    return [...result, ...BESIDES, ...extras];
  });
}

function objectOf(members: Members): string {
  return `{${members.map(([name, source]) => `${JSON.stringify(name)}:${source}`).join(',')}}`;
}

/** The resource below `data.object`, in `data` itself, or where none is looked for. */
const SHAPES = ['nested', 'nested', 'flat', 'both', 'quoted', 'listed'] as const;

function dataOf(resource: string, shape: (typeof SHAPES)[number]): string {
  switch (shape) {
    case 'nested':
      return `{"object":${resource}}`;
    case 'flat':
      return resource;
    case 'both':
      return `{"object":[],"orderId":"x","object":${resource}}`;
    case 'quoted':
      return JSON.stringify(resource);
    case 'listed':
      return `[${resource}]`;
  }
}

const AROUND = fc.oneof(
  { weight: 12, arbitrary: fc.constant(['', ''] as const) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom('', '\ufeff', ' \r\n', '\ufeff\ufeff', '\0', '// x\n', ")]}',\n"),
      fc.constantFrom('', '\n', '\0', 'x', '{}', ',', '\ufeff', '}'),
    ),
  },
);

/** Bodies of events, most of them with something in them that no event has; `@@…@@` stands for an id of the moment. */
export const eventBody: fc.Arbitrary<string> = fc
  .constantFrom(...EVENTS)
  .chain(([type, resource]) =>
    fc.tuple(
      spoiled(resource),
      fc.constantFrom(...SHAPES),
      fc.oneof(
        { weight: 5, arbitrary: fc.constant<Members>([...ENVELOPE, ['type', JSON.stringify(type)]]) },
        { weight: 2, arbitrary: spoiled([...ENVELOPE, ['type', JSON.stringify(type)]]) },
      ),
      AROUND,
    ),
  )
  .map(([resource, shape, envelope, [before, after]]) => {
    const body = objectOf([...envelope, ['data', dataOf(objectOf(resource), shape)]]);
    return `${before}${body}${after}`;
  });

/** Every field of every event, its envelope's too, replaced by each of these values, and nothing else wrong. */
export function* sweptBodies(sources: readonly string[]): Generator<string> {
  for (const [type, resource] of new Map(EVENTS)) {
    const envelope: Members = [...ENVELOPE, ['type', JSON.stringify(type)]];
    const body = (head: Members, fields: Members) =>
      objectOf([...head, ['data', dataOf(objectOf([...fields, ...BESIDES]), 'nested')]]);
    for (const source of sources) {
      for (const fields of replacements(resource, source)) yield body(envelope, fields);
      for (const head of replacements(envelope, source)) yield body(head, resource);
    }
  }
}

function replacements(members: Members, source: string): Members[] {
  return members.map(([name], index) => members.with(index, [name, source]));
}

/** Bodies that are not even meant to be events. */
export const otherBody: fc.Arbitrary<string> = fc.oneof(
  hostileValue,
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom('', '[]', '{}', 'null', '"@@event@@"', '[{"id":"@@event@@","type":"order.created"}]'),
  fc.constantFrom(262_100, 262_144, 262_145, 400_000).map((length) => `"${'x'.repeat(length - 2)}"`),
);
