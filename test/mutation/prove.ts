import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inSandbox } from './sandbox.ts';
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
const list = readList(await readFile(join(import.meta.dirname, 'survivors.md'), 'utf8'));
for (const suite of asked) {
  if (!(await prove(suite))) process.exitCode = 1;
}

/** Mutates one folder, prints its score, and says whether every survivor is explained in the list. */
async function prove(suite: Suite): Promise<boolean> {
  const results = await mutate(suite);
  const described = (...statuses: readonly string[]) =>
    Promise.all(results.filter(({ status }) => statuses.includes(status)).map(describeMutant));
  const killed = await described('Killed');
  const timedOut = await described('Timeout');
  const survivors = await described('Survived', 'NoCoverage');
  // Nothing can be loaded with the mutant, or else the machine had no database for it: only a person can tell.
  const untested = await described('RuntimeError');
  const left = [...survivors, ...untested];
  const { unexplained, unneeded } = compareWithList(left, list);

  for (const mutant of timedOut) console.log(`  timed out: ${mutant}`);
  for (const mutant of unexplained) console.log(`  not detected and not explained: ${mutant}`);
  for (const entry of unneeded.filter((of) => isLookedAt(of, suite))) console.log(`  explained but detected: ${entry}`);
  const detected = killed.length + timedOut.length;
  const score = ((100 * detected) / Math.max(detected + survivors.length, 1)).toFixed(1);
  console.log(
    `mutation of ${suite}: ${results.length} mutants, ${detected} detected (${timedOut.length} by timeout), ` +
      `${survivors.length} survived, ${untested.length} ended before any test, ` +
      `${left.length - unexplained.length} of those ${left.length} explained, score ${score} %, ` +
      `violations ${unexplained.length}`,
  );
  return results.length > 0 && unexplained.length === 0;
}

function isLookedAt(entry: Survivor, suite: Suite): boolean {
  return entry.startsWith(`functions/${suite}/${values.only ?? ''}`);
}

/** Stryker on a copy of the project in the machine's temporary folder, so that no mutant is ever seen by anyone else. */
function mutate(suite: Suite) {
  return inSandbox((folder) =>
    new Stryker({
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
    }).runMutationTest(),
  );
}
