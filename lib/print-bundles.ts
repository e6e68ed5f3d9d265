import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ENTRIES, type Entry, measureBundle } from './bundle-sizes.ts';

/** `npm run bundles`: the size of each function's bundle, and how much longer Node takes to import it than to do nothing. */

const ROUNDS = 15;

/** Enough for every function to load; nothing is connected to before the first event. */
const ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  DATABASE_HOST: 'database.example',
  DATABASE_NAME: 'payments',
  DATABASE_USER: 'payments_app',
  CLINK_API_URL: 'https://clink.example/api',
  CLINK_API_KEY_SECRET_ID: 'api-key',
  CLINK_WEBHOOK_SECRET_ID: 'webhook',
  MERCHANT_URL: 'https://shop.example/clink',
  MERCHANT_SIGNING_SECRET_ID: 'merchant',
  SHOP_SUCCESS_URL: 'https://shop.example/thanks',
  SHOP_CANCEL_URL: 'https://shop.example/basket',
  WAKE_UP_QUEUE_URL: 'https://sqs.example/wake-ups',
};

const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
try {
  console.log(`import: median over ${ROUNDS} rounds of what Node takes beyond an empty process started next to it`);
  console.table(Object.fromEntries(ENTRIES.map((entry) => [entry, row(entry)])));
} finally {
  rmSync(folder, { recursive: true });
}

function row(entry: Entry): Record<string, string> {
  const outdir = join(folder, entry);
  const { atStart, total } = measureBundle(entry, outdir);
  const imported = pathToFileURL(join(outdir, 'index.mjs')).href;
  const rounds = Array.from({ length: ROUNDS }, () => {
    const nothing = runMs('process.exit(0)');
    return runMs(`await import('${imported}'); process.exit(0)`) - nothing;
  });
  return {
    'at start, KiB': kibibytes(atStart),
    'total, KiB': kibibytes(total),
    'import, ms': medianMs(rounds).toFixed(0),
  };
}

function runMs(script: string): number {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, ...ENVIRONMENT },
  });
  if (status !== 0) throw new Error(stderr.toString());
  return performance.now() - begun;
}

function medianMs(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function kibibytes(bytes: number): string {
  return (bytes / 1024).toFixed(0);
}
