import './quiet.ts';

import { parseArgs } from 'node:util';
import { openProofDatabase, startProofServer } from './database.ts';
import { type Findings, tryEveryOrder, type Violation } from './every-order.ts';
import { HISTORIES } from './histories.ts';
import { endTheSame, holdInvariants } from './random-orders.ts';
import { holdStoreToDatabase } from './same-on-both.ts';

/** `npm run prove:orders`: prints what was tried, and exits non-zero when anything was violated. */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.trunc(Date.now() / 1000)) },
    /** Random histories for each of the two properties. */
    random: { type: 'string', default: '2000' },
    /** Random histories that are run in memory and on PostgreSQL. */
    database: { type: 'string', default: '50' },
    /** Written histories longer than this are left out. */
    upTo: { type: 'string', default: '8' },
  },
});
const seed = Number(values.seed);
const violations: string[] = [];

const total = { orders: 0, doubled: 0, lost: 0 };
const histories = HISTORIES.filter(({ events }) => events.length <= Number(values.upTo));
for (const history of histories) {
  const findings = tryEveryOrder(history);
  for (const name of ['orders', 'doubled', 'lost'] as const) total[name] += findings[name];
  print(line(`${history.name} (${history.events.length} events, ${history.ends.length} ends)`, findings));
  violations.push(...findings.violations.map(written));
}
print(line(`${histories.length} written histories`, total));

await attempt(`${values.random} random histories, invariants at every step`, async () =>
  holdInvariants(Number(values.random), seed),
);
await attempt(`${values.random} random histories, each ending as in time`, async () =>
  endTheSame(Number(values.random), seed),
);
await attempt(`${values.database} random histories in memory and on PostgreSQL`, async () => {
  const server = await startProofServer();
  try {
    const db = await openProofDatabase(server.url);
    const steps = await holdStoreToDatabase(db, { runs: Number(values.database), seed }).finally(db.close);
    print(`  ${steps} steps compared`);
  } finally {
    await server.stop();
  }
});

for (const violation of violations) print(`\n${violation}`);
print(`seed ${seed}\nviolations ${violations.length}`);
process.exitCode = violations.length > 0 ? 1 : 0;

async function attempt(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    print(name);
  } catch (error) {
    print(`${name}: VIOLATED`);
    const { message, cause } = error as Error;
    violations.push([name, message, (cause as Error | undefined)?.message].join('\n'));
  }
}

function line(name: string, { orders, doubled, lost }: Omit<Findings, 'violations'>): string {
  return `${name}: ${orders} orders, ${doubled} with a duplicate, ${lost} with losses`;
}

function written({ history, what, steps }: Violation): string {
  return [`${history}: ${what}`, ...steps.map((step) => `  ${step}`)].join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
