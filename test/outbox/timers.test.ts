import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemTimers } from '../../functions/outbox/timers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('an interval fires again and again until it is cancelled', () => {
  const run = vi.fn();
  const cancel = systemTimers.every(100, run);
  vi.advanceTimersByTime(350);
  expect(run).toHaveBeenCalledTimes(3);
  cancel();
  vi.advanceTimersByTime(1_000);
  expect(run).toHaveBeenCalledTimes(3);
});

it('a delay fires once, unless it is cancelled', () => {
  const [run, never] = [vi.fn(), vi.fn()];
  systemTimers.after(100, run);
  systemTimers.after(100, never)();
  vi.advanceTimersByTime(1_000);
  expect(run).toHaveBeenCalledTimes(1);
  expect(never).not.toHaveBeenCalled();
});

it('a delay beyond what a timer can hold does not fire at once', () => {
  const run = vi.fn();
  systemTimers.after(2 ** 31 + 10, run);
  systemTimers.every(2 ** 31 + 10, run);
  vi.advanceTimersByTime(10_000);
  expect(run).not.toHaveBeenCalled();
});
