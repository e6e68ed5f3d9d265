import { join } from 'node:path';
import { connect } from '../../functions/database/connection.ts';
import { operate, UnknownCommandError } from '../../functions/operations/operate.ts';
import { Problem } from '../local/problem.ts';
import { readStackFile } from '../local/stack-file.ts';
import { readArguments, type Typed } from './arguments.ts';
import { answerOfFunction } from './deployed.ts';
import { printed } from './print-answer.ts';

/**
 * `npm run ops -- COMMAND [ID]` against DATABASE_URL, or else the stack that `npm start` runs; with
 * `--function NAME` against the deployed function of that name, with the credentials that the AWS CLI has.
 */
const LOCAL_FOLDER = join(import.meta.dirname, '../../.local');

try {
  const typed = readArguments(process.argv.slice(2));
  const answer = typed.functionName === null ? await answerHere(typed) : answerOfFunction(typed);
  console.log(printed(answer));
  if ('changed' in answer && !answer.changed) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof UnknownCommandError || error instanceof Problem)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function answerHere({ request }: Typed): Promise<object> {
  const url = process.env.DATABASE_URL ?? (await readStackFile(LOCAL_FOLDER))?.databaseUrl;
  if (url === undefined) {
    throw new Problem('start the stack with npm start, set DATABASE_URL, or name a function with --function');
  }
  const sql = connect({ url, max: 1 });
  try {
    return await operate(sql, request);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
