import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5000' }, seed: { type: 'string' } } });
const runs = Number(values.runs);
const seed = Number(values.seed ?? Math.trunc(Math.random() * 2 ** 31));
if (!Number.isSafeInteger(runs) || runs < 1 || !Number.isSafeInteger(seed)) {
  throw new Error('usage: npm run prove:hostile -- [--runs N] [--seed N]');
}

console.log(
  `hostile input: ${runs} requests, seed ${seed}, and at most as many in a sweep over all fields of all events`,
);
const vitest = await startVitest('test', ['test/hostile/hostile.test.ts'], {
  watch: false,
  testTimeout: 0,
  provide: { hostile: { runs, seed } },
});
const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
const failed = tests.filter((test) => test.result().state !== 'passed').length;
const counts = tests.map((test) => test.meta().hostile).filter((found) => found !== undefined);
await vitest.close();

const answers = new Map<string, number>();
for (const [kind, times] of counts.flatMap((count) => Object.entries(count.answers))) {
  answers.set(kind, (answers.get(kind) ?? 0) + times);
}
for (const [kind, times] of [...answers].sort()) console.log(`  ${kind}: ${times}`);
const inputs = counts.reduce((sum, count) => sum + count.inputs, 0);
const tasks = counts.reduce((sum, count) => sum + count.tasks, 0);
// A run without a test has proved nothing.
const violations = tests.length === 0 ? 1 : failed;
console.log(
  `hostile input: ${inputs} requests, ${tasks} tasks that they queued, seed ${seed}, violations ${violations}`,
);
if (violations > 0 || process.exitCode) process.exitCode = 1;
