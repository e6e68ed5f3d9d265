import { randomInt } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { removeCluster } from '../../bin/local/postgres.ts';
import { Randomness } from './randomness.ts';

const USAGE = 'usage: npm run prove:faults -- [--orders N] [--seconds N] [--seed N]';

/** For orders, seconds and seeds alike. */
const MOST = 999_999_999;

const { values } = parseArgs({
  options: { orders: { type: 'string', default: '200' }, seconds: { type: 'string' }, seed: { type: 'string' } },
});
const orders = wholeNumber(values.orders);
const seconds = wholeNumber(values.seconds ?? String(Math.max(45, Math.ceil(orders / 4))));
const seed = values.seed === undefined ? randomInt(MOST + 1) : wholeNumber(values.seed);

console.log(`faults: ${orders} orders within ${seconds} s, seed ${seed}`);
const folder = await mkdtemp(join(tmpdir(), 'clink-faults-'));
// PostgreSQL may run as a user of its own.
await chmod(folder, 0o755);
// The operator's commands log here; what the backend logs is in its own file.
process.env.LOG_LEVEL ??= 'SILENT';
const { run } = await import('./run.ts');
const violations = await run({ folder, orders, seconds, randomness: new Randomness(seed) });
if (violations === 0) {
  await removeCluster(join(folder, 'postgres'));
  await rm(folder, { recursive: true, force: true });
} else {
  console.log(`faults: seed ${seed}; everything is kept in ${folder}`);
}
process.exit(violations === 0 ? 0 : 1);

function wholeNumber(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= MOST) return Number(text);
  console.error(USAGE);
  process.exit(2);
}
