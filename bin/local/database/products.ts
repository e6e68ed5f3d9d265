import type { Sql } from '../../../functions/database/connection.ts';
import type { Product } from '../../../functions/database/products.ts';

/** What the demo shop sells; prices in minor units. One currency with cents, and two without. */
const DEMO_PRODUCTS: readonly Product[] = [
  { id: 'enamel-mug', name: 'Enamel mug', unitAmount: 1_999, currency: 'USD' },
  { id: 'linen-notebook', name: 'Linen notebook', unitAmount: 1_250, currency: 'EUR' },
  { id: 'tenugui-cloth', name: 'Tenugui cloth', unitAmount: 1_800, currency: 'JPY' },
  { id: 'toraja-coffee', name: 'Toraja coffee, 250 g', unitAmount: 145_000, currency: 'IDR' },
];

/** Adds the demo products that are missing. What somebody has changed stays as it is. */
export async function seedProducts(sql: Sql): Promise<void> {
  await sql`INSERT INTO products ${sql([...DEMO_PRODUCTS])} ON CONFLICT (id) DO NOTHING`;
}

export function listProducts(sql: Sql): Promise<Product[]> {
  return sql<Product[]>`SELECT id, name, unit_amount, currency FROM products WHERE active ORDER BY created_at, id`;
}
