import type { Sql } from '../database/connection.ts';
import { claimOne, lockClaimable, lockTaskForClaim, type Ticket } from '../database/outbox.ts';
import { inTransaction } from '../database/transaction.ts';
import type { TaskName } from '../decisions/decision.ts';

export interface ClaimDeps {
  readonly sql: Sql;
  readonly leaseMs: number;
  /** Rows of a task that its workers can have at a time, so that no row waits out its lease in a queue. */
  readonly maxInFlight: (task: TaskName) => number;
  /** A value that no other claim has. */
  readonly newToken: () => string;
}

/**
 * Claims as many due rows of a task as its workers have room for, in one short transaction. Each row is claimed by a
 * statement of its own, with its own token and a lease that starts then; the statements travel together, and one commit
 * serves them all.
 */
export async function claimTask({ sql, leaseMs, maxInFlight, newToken }: ClaimDeps, task: TaskName): Promise<Ticket[]> {
  const claims = await inTransaction(sql, async (tx) => {
    const [, ids] = await Promise.all([lockTaskForClaim(tx, task), lockClaimable(tx, task, maxInFlight(task))]);
    const writes = ids.map((id) => claimOne(tx, { id, claimToken: newToken(), leaseMs }));
    return { result: writes, writes };
  });
  const tickets = await Promise.all(claims);
  return tickets.filter((ticket) => ticket !== undefined);
}
