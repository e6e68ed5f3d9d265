import type { Sql } from '../../functions/database/connection.ts';

/** Resolves once this many connections of the database wait for a lock that another one holds. */
export async function untilBlocked(owner: Sql, count: number): Promise<void> {
  for (let blocked = 0; blocked < count; ) {
    const [row] = await owner<{ blocked: number }[]>`
      SELECT count(*) AS blocked FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    blocked = row?.blocked ?? 0;
  }
}
