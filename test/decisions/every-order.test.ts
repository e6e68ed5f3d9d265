import { describe, expect, it } from 'vitest';
import { tryEveryOrder } from '../proof/every-order.ts';
import { HISTORIES } from '../proof/histories.ts';
import { endTheSame, holdInvariants } from '../proof/random-orders.ts';

/** The short form of `npm run prove:orders`: the histories of up to five events, and a few random ones. */

const SHORT = HISTORIES.filter(({ events }) => events.length <= 5);
const SEED = 20_260_601;

describe.each(SHORT)('$name', (history) => {
  it('comes to an end that is allowed, in every order of arrival', () => {
    const { orders, violations } = tryEveryOrder(history);
    expect(violations).toEqual([]);
    expect(orders).toBe(4 * factorial(history.events.length));
  });
});

describe('random histories', () => {
  it('keep every invariant at every step', () => holdInvariants(200, SEED));
  it('end the same in any order where no first arrival wins', () => endTheSame(200, SEED));
});

function factorial(n: number): number {
  return n <= 1 ? 1 : n * factorial(n - 1);
}
