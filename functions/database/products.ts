import type { Sql } from './connection.ts';

export interface Product {
  readonly id: string;
  readonly name: string;
  /** Minor units of `currency`. */
  readonly unitAmount: number;
  readonly currency: string;
}

/** The product as it is sold now, or undefined when it is unknown or no longer on sale. */
export async function findActiveProduct(sql: Sql, id: string): Promise<Product | undefined> {
  const [product] = await sql<Product[]>`
    SELECT id, name, unit_amount, currency FROM products WHERE id = ${id} AND active`;
  return product;
}
