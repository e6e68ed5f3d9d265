import { connect, type Sql } from '../../functions/database/connection.ts';
import { findOrderToTellOf } from './database/orders.ts';
import { localFolder } from './local-settings.ts';
import { inOneLine, Problem } from './problem.ts';
import { deliver, type Target } from './send-event/delivery.ts';
import { eventBody } from './send-event/event-body.ts';
import { playFixtures } from './send-event/fixtures.ts';
import { type Flags, HELP, readFlags, wholeNumber } from './send-event/flags.ts';
import { readStackFile, type Stack } from './stack-file.ts';

const DAY_MS = 86_400_000;

async function main(): Promise<boolean> {
  const flags = readFlags(process.argv.slice(2));
  if (flags.help) return print(HELP);
  const stack = await readStackFile(localFolder(process.env));
  return flags.fixtures ? fixtures(running(stack)) : send(flags, stack);
}

/** Whether every answer was 2xx. */
async function send(flags: Flags, stack: Stack | null): Promise<boolean> {
  const url = flags.url ?? `${running(stack).apiUrl}/api/webhooks/clink`;
  const target: Target = { url, signingKey: flags.key ?? running(stack).webhookSigningKey };
  const now = Date.now();
  const order = flags.order === undefined || stack === null ? undefined : await lookUp(stack, flags.order);
  const body = flags.raw ?? eventBody(flags, order, now);
  const signing = { badSignature: flags['bad-signature'], timestamp: flags.stale ? now - DAY_MS : now };
  let accepted = true;
  for (let left = wholeNumber('repeat', flags.repeat, 1); left > 0; left -= 1) {
    const { status, text } = await deliver(target, body, signing);
    print(`${status} ${text}\n`);
    accepted &&= status >= 200 && status < 300;
  }
  return accepted;
}

async function fixtures(stack: Stack): Promise<boolean> {
  const checks = await withDatabase(stack, (sql) => playFixtures(stack, sql, Date.now()));
  for (const { what, seen, expected } of checks) {
    const good = seen === expected;
    print(`${good ? 'ok   ' : 'WRONG'}  ${what}: ${seen}${good ? '' : `, expected ${expected}`}\n`);
  }
  return checks.every(({ seen, expected }) => seen === expected);
}

async function lookUp(stack: Stack, merchantOrderId: string) {
  const order = await withDatabase(stack, (sql) => findOrderToTellOf(sql, merchantOrderId));
  // An order that nobody knows is a fair thing to send an event about.
  if (order === undefined) process.stderr.write(`There is no order ${merchantOrderId}; its id is sent all the same.\n`);
  return order;
}

async function withDatabase<T>({ databaseUrl }: Stack, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connect({ url: databaseUrl, max: 1 });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function running(stack: Stack | null): Stack {
  if (stack === null) throw new Problem('no stack is running here: npm start first, or give --url and --key');
  return stack;
}

function print(text: string): true {
  process.stdout.write(text);
  return true;
}

main().then(
  (good) => {
    process.exitCode = good ? 0 : 1;
  },
  (error: unknown) => {
    process.stderr.write(`send-event: ${inOneLine(error)}\n`);
    process.exitCode = 1;
  },
);
