import './quiet.ts';

import { parseArgs } from 'node:util';
import { CASES } from './cases.ts';
import { openProofDatabase, startProofServer } from './database.ts';
import { Interleavings } from './every-interleaving.ts';

/** `npm run prove:interleavings`: prints what was tried, and exits non-zero when anything was violated. */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.trunc(Date.now() / 1000)) },
    /** Schedules of one case at most; a case that has fewer is tried in full. */
    samples: { type: 'string', default: '40' },
  },
});
const options = { limit: Number(values.samples), seed: Number(values.seed) };
const violations: string[] = [];
const total = { schedules: 0, steps: 0, complete: 0 };

const server = await startProofServer();
try {
  const db = await openProofDatabase(server.url);
  const interleavings = new Interleavings(db);
  for (const tried of CASES) {
    const found = await interleavings.try(tried, options);
    const { schedules, complete, steps, ends } = found;
    print(`${tried.name}: ${schedules} schedules${complete ? ' (all)' : ''}, ${steps} steps, ${ends} ends allowed`);
    total.schedules += schedules;
    total.steps += steps;
    total.complete += complete ? 1 : 0;
    violations.push(...found.violations.map((violation) => `${tried.name}: ${violation}`));
  }
  await db.close();
} finally {
  await server.stop();
}

print(`${CASES.length} cases, ${total.complete} of them in full: ${total.schedules} schedules, ${total.steps} steps`);
for (const violation of violations) print(`\n${violation}`);
print(`seed ${options.seed}\nviolations ${violations.length}`);
process.exitCode = violations.length > 0 ? 1 : 0;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
