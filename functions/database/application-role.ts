import type { Sql } from './connection.ts';

/**
 * Opens the application's role to those who are to work as it. Aurora of our own: whoever has a token for it. A merchant's
 * own cluster: the one user that its secret names; there `rds_iam` must stay away, since its members lose their passwords.
 */
export async function openApplicationRole(sql: Sql, to: 'tokens' | 'owner'): Promise<void> {
  if (to === 'tokens') await sql`GRANT rds_iam TO payments_app`;
  else await sql`GRANT payments_app TO CURRENT_USER`;
}
