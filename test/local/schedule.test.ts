import { expect, test } from 'vitest';
import { startSchedule } from '../../bin/local/sources/schedule.ts';

test('runs at once, again and again, also after a failure, and never twice at a time', async () => {
  const third = Promise.withResolvers<void>();
  let running = 0;
  let runs = 0;
  const schedule = startSchedule(1, async () => {
    running += 1;
    runs += 1;
    expect(running).toBe(1);
    if (runs === 3) third.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    throw new Error('a bad day');
  });
  await third.promise;
  await schedule.stop();
  const after = runs;
  await new Promise((resolve) => setImmediate(resolve));
  expect(runs).toBe(after);
});

test('stopping waits for the run under way', async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  let finished = false;
  const schedule = startSchedule(60_000, async () => {
    started.resolve();
    await finish.promise;
    finished = true;
  });
  await started.promise;
  const stopped = schedule.stop();
  finish.resolve();
  await stopped;
  expect(finished).toBe(true);
});
