import type { Sql } from '../../../functions/database/connection.ts';

/** The role that the functions connect as; the migrations make it, without a password. */
const ROLE = 'payments_app';

/** Gives the application's role its password and returns the URL to connect with. */
export async function openApplicationRole(sql: Sql, ownerUrl: string, password: string): Promise<string> {
  const [row] = await sql<{ statement: string }[]>`
    SELECT format('ALTER ROLE %I PASSWORD %L', ${ROLE}::text, ${password}::text) AS statement`;
  await sql.unsafe(row?.statement ?? '');
  return Object.assign(new URL(ownerUrl), { username: ROLE, password }).href;
}
