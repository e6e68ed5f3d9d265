import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ENTRIES, type Entry, measureBundle } from './bundle-sizes.ts';
import { beyondEmptyMs, importOf, ROUNDS } from './start-times.ts';

/** `npm run bundles`: the size of each function's bundle, and how much longer Node takes to import it than to do nothing. */

const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
try {
  console.log(`import: median over ${ROUNDS} rounds of what Node takes beyond an empty process started next to it`);
  const rows: Partial<Record<Entry, Readonly<Record<string, string>>>> = {};
  for (const entry of ENTRIES) rows[entry] = await row(entry);
  console.table(rows);
} finally {
  rmSync(folder, { recursive: true });
}

async function row(entry: Entry): Promise<Record<string, string>> {
  const outdir = join(folder, entry);
  const { atStart, total } = measureBundle(entry, outdir);
  const imported = pathToFileURL(join(outdir, 'index.mjs')).href;
  const { ms } = await beyondEmptyMs({ ms: async () => importOf(imported) });
  return {
    'at start, KiB': kibibytes(atStart),
    'total, KiB': kibibytes(total),
    'import, ms': ms.toFixed(0),
  };
}

function kibibytes(bytes: number): string {
  return (bytes / 1024).toFixed(0);
}
