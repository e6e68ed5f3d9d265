import * as v from 'valibot';
import type { Sql } from '../database/connection.ts';
import { findOrderId, listDeferredEvents, listFailedTasks, readStory } from '../database/operator.ts';
import { log } from '../platform/log.ts';
import { close, retry } from './change-task.ts';
import { resolveCase } from './resolve-case.ts';

const Id = v.pipe(v.string(), v.regex(/^[^\p{Cc}\p{Cs}]{1,512}$/u, 'an id of at most 512 characters'));
const TaskId = v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'the number of a task'), v.transform(Number));

const Command = v.variant('command', [
  v.strictObject({ command: v.literal('why'), id: Id }),
  v.strictObject({ command: v.literal('retry'), id: TaskId }),
  v.strictObject({ command: v.literal('close'), id: TaskId }),
  v.strictObject({ command: v.literal('resolve'), id: Id }),
  v.strictObject({ command: v.literal('failed') }),
  v.strictObject({ command: v.literal('stuck') }),
]);

/** Lists by name, each row a record of ids, codes, amounts and times; or whether a change was made. */
export type OperatorAnswer = { readonly changed: boolean } | Readonly<Record<string, readonly object[]>>;

/** What was asked is none of the commands. */
export class UnknownCommandError extends Error {
  override readonly name = 'UnknownCommandError';
}

const LONGEST_LIST = 100;

/** One command of an operator: `{ "command": "why", "id": "…" }` and the like. Throws `UnknownCommandError`. */
export async function operate(sql: Sql, request: unknown): Promise<OperatorAnswer> {
  const parsed = v.safeParse(Command, request);
  if (!parsed.success) {
    throw new UnknownCommandError(
      'give why <order, Clink order or event id>, retry <task id>, close <task id>, resolve <case key>, failed or stuck',
    );
  }
  const asked = parsed.output;
  switch (asked.command) {
    case 'why':
      return { ...(await readStory(sql, asked.id, await findOrderId(sql, asked.id))) };
    case 'failed':
      return { failed: await listFailedTasks(sql, LONGEST_LIST) };
    case 'stuck':
      return { stuck: await listDeferredEvents(sql, LONGEST_LIST) };
    case 'retry':
      return changed(asked, await retry(sql, asked.id));
    case 'close':
      return changed(asked, await close(sql, asked.id));
    case 'resolve':
      return changed(asked, await resolveCase(sql, asked.id));
  }
}

function changed({ command, id }: { command: string; id: string | number }, isChanged: boolean): OperatorAnswer {
  log.warn('operator_command', { command, id, changed: isChanged });
  return { changed: isChanged };
}
