import { openDatabase } from '../database/open-database.ts';
import { type OperatorAnswer, operate } from './operate.ts';

const sql = await openDatabase();

/** Has no route and no event source: whoever may invoke the function is an operator. */
export function handler(request: unknown): Promise<OperatorAnswer> {
  return operate(sql, request);
}
