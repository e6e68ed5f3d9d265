import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../functions/outbox/backoff.ts';

const seeds = { baseMs: 1_000, maxMs: 3_600_000 };

describe('backoff', () => {
  it.each([
    [1, 0, 750],
    [1, 0.5, 1_000],
    [1, 0.9999999, 1_250],
    [2, 0.5, 2_000],
    [3, 0, 3_000],
    [11, 0.5, 1_024_000],
    [12, 0.5, 2_048_000],
    [13, 0, 2_700_000],
    [13, 0.5, 3_600_000],
    [13, 0.9999999, 3_600_000],
    [1_000_000, 0.5, 3_600_000],
  ])('after try %i with random %f waits %i ms', (attempt, random, expected) => {
    expect(backoffMs(attempt, seeds, () => random)).toBe(expected);
  });

  it('is a whole number, never above the cap and never off the doubled base by more than a quarter', () => {
    const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const settings = fc.record({
      baseMs: fc.integer({ min: 1, max: 60_000 }),
      maxMs: fc.integer({ min: 1, max: 1e8 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), settings, randoms, (attempt, { baseMs, maxMs }, random) => {
        const delay = backoffMs(attempt, { baseMs, maxMs }, () => random);
        const exponential = Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30));
        expect(Number.isSafeInteger(delay)).toBe(true);
        expect(delay).toBeLessThanOrEqual(maxMs);
        expect(delay).toBeGreaterThanOrEqual(Math.floor(exponential * 0.75));
        expect(delay).toBeLessThanOrEqual(Math.ceil(exponential * 1.25));
      }),
    );
  });
});
