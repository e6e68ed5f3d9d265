import type { Sql } from '../../../functions/database/connection.ts';
import { inTransaction } from '../../../functions/database/transaction.ts';

type Statement<T> = (sql: Sql) => Promise<T>;
export type Send = <T>(statement: Statement<T>) => Promise<T>;

/**
 * Sends what several workers of one process ask for at the same moment in one short transaction: a statement for each, and
 * one commit for all. Nobody has an answer before the commit has come back.
 */
export function together(sql: Sql): Send {
  let boarding: Statement<unknown>[] = [];
  let next: Promise<unknown[]> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  async function depart(): Promise<unknown[]> {
    const aboard = boarding;
    boarding = [];
    next = null;
    const answers = await inTransaction(sql, async (tx) => {
      const writes = aboard.map((statement) => statement(tx));
      return { result: writes, writes };
    });
    return Promise.all(answers);
  }

  return async <T>(statement: Statement<T>) => {
    const seat = boarding.push(statement) - 1;
    next ??= last.then(depart);
    last = next.catch(() => undefined);
    const answers = await next;
    return answers[seat] as T;
  };
}
