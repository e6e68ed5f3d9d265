import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { parseAmount } from '../../functions/decisions/money.ts';
import { priceOf } from '../../functions/merchant/catalog.ts';

const product = (unitAmount: bigint, currency: string) => ({ id: 'book', name: 'Handbook', unitAmount, currency });

describe('priceOf', () => {
  test.each([
    [1999n, 'USD', 3, '19.99', '59.97'],
    [1000n, 'USD', 1, '10', '10'],
    [1999n, 'JPY', 2, '1999', '3998'],
    [1999n, 'IDR', 1, '1999', '1999'],
    [1999n, 'KWD', 1, '1.999', '1.999'],
    [10n, 'USD', 3, '0.1', '0.3'],
    [9_999_999_999_999_999n, 'USD', 1, '99999999999999.99', '99999999999999.99'],
  ])('%s minor units of %s, %s times', (unitAmount, currency, quantity, unit, total) => {
    expect(priceOf(product(unitAmount, currency), quantity)).toEqual({
      kind: 'price',
      unitAmount: unit,
      amount: total,
    });
  });

  test.each(['XTS', 'usd', ''])('does not sell in a currency it does not know (%j)', (currency) => {
    expect(priceOf(product(100n, currency), 1)).toEqual({ kind: 'refused', code: 'currency_not_supported' });
  });

  test.each([
    [9_999_999_999_999_999n, 'USD', 2],
    [100_000_000_000_000n, 'JPY', 1],
    [0n, 'USD', 1],
    [-1n, 'USD', 1],
  ])('refuses a total that cannot be booked: %s minor units of %s, %s times', (unitAmount, currency, quantity) => {
    expect(priceOf(product(unitAmount, currency), quantity)).toEqual({ kind: 'refused', code: 'amount_not_supported' });
  });

  test('what is priced can be booked, and the unit price times the quantity is exactly the amount', () => {
    const minor = fc.bigInt({ min: 1n, max: 2n ** 53n - 1n });
    fc.assert(
      fc.property(
        minor,
        fc.integer({ min: 1, max: 100 }),
        fc.constantFrom('USD', 'JPY', 'KWD'),
        (unit, n, currency) => {
          const price = priceOf(product(unit, currency), n);
          if (price.kind === 'refused') return;
          const amount = parseAmount(price.amount, currency);
          expect(parseAmount(price.unitAmount, currency)?.times(n).toFixed()).toBe(amount?.toFixed());
        },
      ),
    );
  });
});
