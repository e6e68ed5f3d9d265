import type { Sql } from '../../../functions/database/connection.ts';

/**
 * Ends every lease. Only for a database and queues that nobody but this process uses: the workers of a killed run are
 * dead and its messages went with its memory, so nothing is gained by waiting for the leases to run out.
 */
export async function endLeases(sql: Sql): Promise<void> {
  await sql`UPDATE outbox SET lease_until = now() WHERE status = 'processing'`;
}
