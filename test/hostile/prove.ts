import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5000' }, seed: { type: 'string' } } });
const runs = Number(values.runs);
const seed = Number(values.seed ?? Math.trunc(Math.random() * 2 ** 31));
if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(seed)) {
  throw new Error('usage: npm run prove:hostile -- [--runs N] [--seed N]');
}

console.log(`hostile input: ${runs} requests, seed ${seed}`);
const vitest = await startVitest('test', ['test/hostile/hostile.test.ts'], {
  watch: false,
  testTimeout: 0,
  provide: { hostile: { runs, seed } },
});
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
const counts = tests.map((test) => test.meta().hostile).find((found) => found !== undefined);
await vitest.close();

if (counts === undefined || process.exitCode) {
  console.log(`hostile input: violations 1 or more, seed ${seed}`);
  process.exitCode = 1;
} else {
  for (const [kind, times] of Object.entries(counts.answers).sort()) console.log(`  ${kind}: ${times}`);
  console.log(`hostile input: ${counts.inputs} requests, ${counts.tasks} tasks they queued, violations 0`);
}
