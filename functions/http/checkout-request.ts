import * as v from 'valibot';

import { isIdentifier } from './identifier.ts';
import { HttpProblem } from './problem.ts';

/** Strict: a price or a customer in the body must not look as if it counted. */
const CheckoutBody = v.strictObject({
  productId: v.pipe(v.string(), v.check(isIdentifier)),
  quantity: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
});

const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['productId', 'must be a text of 1 to 255 characters'],
  ['quantity', 'must be a whole number from 1 to 100'],
]);

/** Throws 400 `invalid_request`, naming a field of this request that is not as it must be. */
export function readCheckoutBody(body: unknown): v.InferOutput<typeof CheckoutBody> {
  const result = v.safeParse(CheckoutBody, body, { abortEarly: true });
  if (result.success) return result.output;
  const field = result.issues[0].path?.[0]?.key;
  if (typeof field !== 'string') throw invalidRequest('The body must be an object.');
  const expected = EXPECTED.get(field);
  if (expected !== undefined) throw invalidRequest(`${field}: ${expected}.`);
  // Not by its name: what a caller made up is not repeated to whoever reads the answer.
  throw invalidRequest('The body must have the fields productId and quantity and no other.');
}

/** The optional `Idempotency-Key` header. Throws 400 `invalid_request` when it is there but not usable. */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw invalidRequest('Idempotency-Key: must be 1 to 255 visible ASCII characters.');
  }
  return header;
}

function invalidRequest(message: string): HttpProblem {
  return new HttpProblem(400, 'invalid_request', message);
}
