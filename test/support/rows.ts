import { randomUUID } from 'node:crypto';
import type { Sql } from '../../functions/database/connection.ts';

/** Rows for tests that start from a stored state rather than from a checkout. Each returns the id it made. */

export async function addOrder(owner: Sql, columns: Record<string, unknown> = {}): Promise<string> {
  const id = (columns.id as string | undefined) ?? `mo_${randomUUID()}`;
  await owner`INSERT INTO merchant_orders ${owner({
    id,
    customerId: 'customer_1',
    productSnapshot: owner.json({ id: 'poster', name: 'Poster', unitAmount: '19.99', quantity: 1 }),
    originalAmount: '19.99',
    originalCurrency: 'USD',
    clinkSessionId: `sess_${randomUUID()}`,
    clinkCheckoutUrl: 'https://checkout.example/pay',
    paymentStatus: 'pending',
    ...columns,
  })}`;
  return id;
}

export async function addAttempt(
  owner: Sql,
  merchantOrderId: string,
  columns: Record<string, unknown> = {},
): Promise<string> {
  const clinkOrderId = (columns.clinkOrderId as string | undefined) ?? `order_${randomUUID()}`;
  await owner`INSERT INTO payment_attempts ${owner({
    clinkOrderId,
    merchantOrderId,
    clinkSessionId: 'sess_any',
    status: 'pending',
    attemptCreatedAt: 1_786_000_000_000,
    lastEventCreated: 1_786_000_000_000,
    ...columns,
  })}`;
  return clinkOrderId;
}

export async function addTask(owner: Sql, columns: Record<string, unknown> = {}): Promise<number> {
  const [row] = await owner<{ id: number }[]>`INSERT INTO outbox ${owner({
    task: 'fulfill',
    eventId: 'event_1',
    dedupeKey: `key:${randomUUID()}`,
    ...columns,
  })} RETURNING id`;
  if (!row) throw new Error('the row was not inserted');
  return row.id;
}
