import { fromMinorUnits } from '../decisions/money.ts';

export interface PricedProduct {
  readonly id: string;
  readonly name: string;
  /** Minor units of `currency`. */
  readonly unitAmount: bigint;
  readonly currency: string;
}

/** Major units as plain decimal text. */
export interface Price {
  readonly kind: 'price';
  readonly unitAmount: string;
  readonly amount: string;
}

export interface PriceRefusal {
  readonly kind: 'refused';
  readonly code: 'currency_not_supported' | 'amount_not_supported';
}

/** NUMERIC(18,4) holds less than this. */
const AMOUNT_LIMIT = 10n ** 14n;

/** What a shopper pays for `quantity` pieces: one price for everybody, from the catalog alone. */
export function priceOf(product: PricedProduct, quantity: number): Price | PriceRefusal {
  const unitAmount = fromMinorUnits(product.unitAmount, product.currency);
  const amount = fromMinorUnits(product.unitAmount * BigInt(quantity), product.currency);
  if (unitAmount === null || amount === null) return { kind: 'refused', code: 'currency_not_supported' };
  if (!amount.greaterThan(0) || amount.greaterThanOrEqualTo(AMOUNT_LIMIT.toString())) {
    return { kind: 'refused', code: 'amount_not_supported' };
  }
  return { kind: 'price', unitAmount: unitAmount.toFixed(), amount: amount.toFixed() };
}
