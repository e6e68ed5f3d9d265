import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What this command uses of Stryker. */
export interface Mutant {
  readonly fileName: string;
  readonly status: string;
  readonly location: {
    readonly start: { readonly line: number; readonly column: number };
    readonly end: { readonly line: number; readonly column: number };
  };
  readonly replacement?: string;
}
type StrykerClass = new (options: object) => { runMutationTest(): Promise<Mutant[]> };

const FOLDER = join(import.meta.dirname, '../../.local/stryker');
const PACKAGES = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1'];

/**
 * Stryker, installed on first use beside the project's own packages: it is needed by this command only, its many packages
 * would come with every installation, and one that it can do without is not in every registry.
 */
export async function loadStryker(): Promise<StrykerClass> {
  const entry = pathToFileURL(join(FOLDER, 'node_modules/@stryker-mutator/core/dist/src/index.js')).href;
  const load = async () => ((await import(entry)) as { Stryker: StrykerClass }).Stryker;
  return load().catch(() => {
    const flags = ['--no-audit', '--no-fund', '--legacy-peer-deps', '--no-save'];
    const { status } = spawnSync('npm', ['install', '--prefix', FOLDER, ...flags, ...PACKAGES], { stdio: 'inherit' });
    if (status !== 0) throw new Error('Stryker could not be installed');
    return load();
  });
}
