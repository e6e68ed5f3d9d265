import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTRIES, measureBundle } from '../../lib/bundle-sizes.ts';
import { pathsIn } from '../support/source-tree.ts';
import { BUDGETS } from './bundle-budgets.ts';
import { REQUIRED, type Resource, synthesize } from './synthesized.ts';

const ROOT = join(import.meta.dirname, '../..');
const KIB = 1024;

describe('bundle sizes', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bundles-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are measured for every entry', () => {
    const entries = pathsIn('functions').filter((path) => path.endsWith('.lambda.ts'));
    expect(entries.map((path) => path.replace(/^functions\/|\.lambda\.ts$/g, ''))).toEqual([...ENTRIES].sort());
  });

  it.each(ENTRIES)('%s keeps to its budget', (entry) => {
    const { atStart, total } = measureBundle(entry, join(folder, entry));
    expect(atStart / KIB).toBeLessThanOrEqual(BUDGETS[entry].atStart);
    expect(total / KIB).toBeLessThanOrEqual(BUDGETS[entry].total);
    // A budget that nobody comes near holds nothing.
    expect(atStart / KIB).toBeGreaterThan(BUDGETS[entry].atStart / 2);
  });
});

describe('what is deployed', () => {
  let functions: [id: string, folder: string][];
  beforeAll(() => {
    const production = synthesize(REQUIRED, { withBundles: true });
    functions = Object.entries(production.resources('ClinkPayments', 'AWS::Lambda::Function'))
      .filter(([id]) => !id.startsWith('AWSCDK'))
      .map(([id, resource]) => [id, join(production.folder, assetOf(resource))]);
  });

  it('has the file and the export that Lambda calls, for every function', () => {
    expect(functions).toHaveLength(ENTRIES.length);
    for (const [id, folder] of functions) {
      expect(`${id} ${readFileSync(join(folder, 'index.mjs'), 'utf8')}`).toMatch(/export\s?\{[^}]*\bhandler\b[^}]*\}/);
    }
  });

  it('consists of files that load, those too that are loaded on demand', () => {
    const chunks = functions.flatMap(([, folder]) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.mjs') && name !== 'index.mjs')
        .map((name) => pathToFileURL(join(folder, name)).href),
    );
    expect(chunks.length).toBeGreaterThan(functions.length);
    const script = `for (const chunk of ${JSON.stringify(chunks)}) await import(chunk);`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    expect(stderr).toBe('');
  });

  it('is a bundle of its own for every function', () => {
    expect(new Set(functions.map(([, folder]) => folder)).size).toBe(ENTRIES.length);
  });

  it('holds source maps without the source', () => {
    for (const [, folder] of functions) {
      const { sources, sourcesContent } = JSON.parse(readFileSync(join(folder, 'index.mjs.map'), 'utf8')) as {
        sources: string[];
        sourcesContent?: string[];
      };
      expect(sources.length).toBeGreaterThan(0);
      expect(sourcesContent).toBeUndefined();
    }
  });

  it('brings every migration, byte for byte, and nothing else', () => {
    const [, folder = ''] = functions.find(([id]) => id.startsWith('SchemaMigrationMigrator')) ?? [];
    const deployed = readdirSync(join(folder, 'migrations')).sort();
    expect(deployed).toEqual(readdirSync(join(ROOT, 'migrations')).sort());
    expect(deployed.length).toBeGreaterThan(0);
    for (const name of deployed) {
      const same = readFileSync(join(folder, 'migrations', name)).equals(readFileSync(join(ROOT, 'migrations', name)));
      expect({ name, same }).toEqual({ name, same: true });
    }
  });
});

function assetOf({ Metadata }: Resource): string {
  return Metadata?.['aws:asset:path'] ?? expect.fail('the function has no asset');
}
