import type { Sql, Transaction } from '../../functions/database/connection.ts';

/**
 * Starts the contenders while a transaction of the owner holds what they all want, lets go when every one of them waits in
 * PostgreSQL, and returns what they came to. The holder rolls back, so a row it inserted to hold a key was never there.
 * What happens `meanwhile` ends while they still wait.
 */
export async function collide<T>(
  owner: Sql,
  hold: (tx: Transaction) => PromiseLike<unknown>,
  contenders: readonly (() => Promise<T>)[],
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<T[]> {
  const holder = await owner.reserve();
  try {
    await holder`BEGIN`;
    await hold(holder);
    const running = contenders.map((start) => start());
    await untilBlocked(owner, running.length);
    await meanwhile();
    await holder`ROLLBACK`;
    return await Promise.all(running);
  } finally {
    holder.release();
  }
}

/** What to hold so that every decision about these orders waits. */
export function orderLocks(...merchantOrderIds: readonly string[]) {
  return (tx: Transaction) => tx`SELECT FROM merchant_orders WHERE id = ANY(${merchantOrderIds}) FOR UPDATE`;
}

/** Resolves once this many connections of the database wait for a lock that another one holds. */
export async function untilBlocked(owner: Sql, connections: number): Promise<void> {
  for (let blocked = 0; blocked < connections; ) {
    const [row] = await owner<{ blocked: number }[]>`
      SELECT count(*) AS blocked FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    blocked = row?.blocked ?? 0;
  }
}
