import { createHash } from 'node:crypto';
import type { ClinkClient } from '../clink/client.ts';
import type { Sql } from '../database/connection.ts';
import { retryingLoss } from '../database/connection-loss.ts';
import { type Checkout, findCheckout, insertOrder } from '../database/merchant-orders.ts';
import { findActiveProduct } from '../database/products.ts';
import { priceOf } from '../merchant/catalog.ts';
import { CheckoutRefusedError } from './checkout-refused.ts';
import { openSession } from './open-session.ts';

export interface CheckoutFlow {
  readonly sql: Sql;
  readonly clink: Pick<ClinkClient, 'createSession'>;
  /** Where Clink sends the shopper back to; the order's id is added to each as `orderId`. */
  readonly shopUrls: { readonly success: string; readonly cancel: string };
  readonly wakeUp: (delayMs?: number) => Promise<void>;
  readonly now: () => number;
  /** A new merchant order id. */
  readonly newId: () => string;
  readonly wait: (ms: number) => Promise<void>;
}

export interface CheckoutCommand {
  readonly customerId: string;
  readonly customerEmail: string | null;
  readonly productId: string;
  readonly quantity: number;
  readonly idempotencyKey: string | null;
}

/**
 * Makes the order, or finds the one that the same request made before, and opens the Clink session to pay it in. The
 * price comes from the catalog alone. Throws `CheckoutRefusedError`.
 */
export async function startCheckout(
  flow: CheckoutFlow,
  command: CheckoutCommand,
): Promise<{ merchantOrderId: string; checkoutUrl: string }> {
  const checkout = (await retryingLoss(() => findEarlier(flow.sql, command))) ?? (await makeOrder(flow, command));
  return { merchantOrderId: checkout.id, checkoutUrl: await openSession(flow, command, checkout) };
}

async function findEarlier(sql: Sql, command: CheckoutCommand): Promise<Checkout | undefined> {
  const { customerId, idempotencyKey } = command;
  const earlier = idempotencyKey === null ? undefined : await findCheckout(sql, customerId, idempotencyKey);
  if (earlier && earlier.requestHash !== hashOf(command)) throw new CheckoutRefusedError('idempotency_key_reused');
  return earlier;
}

async function makeOrder({ sql, newId }: CheckoutFlow, command: CheckoutCommand): Promise<Checkout> {
  const { customerId, productId, quantity, idempotencyKey } = command;
  const product = await retryingLoss(() => findActiveProduct(sql, productId));
  if (!product) throw new CheckoutRefusedError('product_not_found');
  const price = priceOf({ ...product, unitAmount: BigInt(product.unitAmount) }, quantity);
  if (price.kind === 'refused') throw new CheckoutRefusedError(price.code);

  const order = {
    id: newId(),
    customerId,
    product: { id: product.id, name: product.name, unitAmount: price.unitAmount, quantity },
    amount: price.amount,
    currency: product.currency,
    idempotencyKey,
    requestHash: idempotencyKey === null ? null : hashOf(command),
  };
  if (await insertOrder(sql, order)) return { ...order, checkoutUrl: null };
  // The same request was faster by a moment; its order is this one's too.
  const winner = await findEarlier(sql, command);
  if (!winner) throw new Error('an order under this idempotency key was neither inserted nor found');
  return winner;
}

/** What must be equal for two requests under one idempotency key to be the same request. */
function hashOf({ productId, quantity }: CheckoutCommand): string {
  return createHash('sha256')
    .update(JSON.stringify([productId, quantity]))
    .digest('hex');
}
