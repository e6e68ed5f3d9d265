import { chmod, glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadStryker } from './stryker.ts';
import { compareWithList, describeMutant, readList, type Survivor } from './survivors.ts';

const SUITES = ['decisions', 'outbox'] as const;
type Suite = (typeof SUITES)[number];

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' } },
});
const asked = positionals.length === 0 ? SUITES : SUITES.filter((suite) => positionals.includes(suite));
if (asked.length === 0) throw new Error('usage: npm run prove:mutation -- [decisions] [outbox] [--only FILE]');

const Stryker = await loadStryker();
const systemFolder = tmpdir();
const list = readList(await readFile(join(import.meta.dirname, 'survivors.md'), 'utf8'));
for (const suite of asked) {
  if (!(await prove(suite))) process.exitCode = 1;
}

/** Mutates one folder, prints its score, and says whether every survivor is explained in the list. */
async function prove(suite: Suite): Promise<boolean> {
  const results = await mutate(suite);
  const count = (...statuses: readonly string[]) => results.filter(({ status }) => statuses.includes(status)).length;
  const detected = count('Killed', 'Timeout');
  const left = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const survivors = await Promise.all(left.map(describeMutant));
  const { unexplained, unneeded } = compareWithList(survivors, list);

  for (const survivor of unexplained) console.log(`  survived unexplained: ${survivor}`);
  for (const entry of unneeded.filter((of) => isLookedAt(of, suite))) console.log(`  explained but killed: ${entry}`);
  const score = ((100 * detected) / Math.max(detected + survivors.length, 1)).toFixed(1);
  console.log(
    `mutation of ${suite}: ${results.length} mutants, ${detected} detected (${count('Timeout')} by timeout), ` +
      `${survivors.length} survived (${survivors.length - unexplained.length} explained), score ${score} %, ` +
      `violations ${unexplained.length}`,
  );
  return results.length > 0 && unexplained.length === 0;
}

function isLookedAt(entry: Survivor, suite: Suite): boolean {
  return entry.startsWith(`functions/${suite}/${values.only ?? ''}`);
}

/** Stryker on a copy of the project in the machine's temporary folder, so that no mutant is ever seen by anyone else. */
async function mutate(suite: Suite) {
  const folder = await mkdtemp(join(systemFolder, 'mutation-'));
  // The databases of the runners too, which run as another user: a runner that is ended for its timeout leaves its own behind.
  await chmod(folder, 0o755);
  process.env.TMPDIR = folder;
  try {
    return await new Stryker({
      // Entries are wiring without a decision in it; the tests of the whole stack run them.
      mutate: [`functions/${suite}/${values.only ?? '**/*.ts'}`, '!**/*.lambda.ts'],
      testRunner: 'vitest',
      plugins: ['@stryker-mutator/vitest-runner'],
      vitest: { configFile: `test/mutation/${suite}.vitest.config.ts`, related: false },
      coverageAnalysis: 'perTest',
      concurrency: 2,
      // A machine with other work to do must not look like an endless loop.
      timeoutMS: 20_000,
      tempDirName: folder,
      ignorePatterns: ['.local', 'cdk.out', 'coverage'],
      // Stryker would rewrite it with TypeScript's JavaScript API, which TypeScript 7 has not got; types are stripped anyway.
      tsconfigFile: 'test/mutation/no-tsconfig.json',
      reporters: ['progress-append-only'],
      allowConsoleColors: false,
    }).runMutationTest();
  } finally {
    await stopDatabases(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

async function stopDatabases(folder: string): Promise<void> {
  for await (const file of glob(join(folder, '*/data/postmaster.pid'))) {
    const [pid] = (await readFile(file, 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGQUIT');
  }
}
