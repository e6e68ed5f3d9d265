import type { Product } from '../../../functions/database/products.ts';
import type { Customer } from '../identity.ts';
import type { MerchantLedger } from './merchant-ledger.ts';

/** What the shop's pages are made from. */
export interface ShopContext {
  readonly apiUrl: () => string;
  /** The Clink double's dashboard; null when Clink is the real one. */
  readonly dashboardUrl: () => string | null;
  readonly customers: readonly Customer[];
  readonly issueToken: (customer: Customer) => Promise<string>;
  readonly listProducts: () => Promise<readonly Product[]>;
  readonly ledger: MerchantLedger;
}
