import type { Timers } from './timers.ts';

/** The invocation is about to end; the task comes back later with a try less. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTime';
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** Settles as `work` does, or rejects when the time is up: a query cannot be aborted, and must not be waited for. */
  bound<T>(work: Promise<T>): Promise<T>;
  cancel(): void;
}

/**
 * What remains for writing the outcome down after work was given up. Longer than a statement may take, for the work may
 * have left one on the only connection.
 */
const RESERVE_MS = 12_000;

/** Aborts a while before the invocation's remaining milliseconds are over. */
export function startDeadline(remainingMs: number, timers: Timers): Deadline {
  const controller = new AbortController();
  const passed = Promise.withResolvers<never>();
  passed.promise.catch(() => undefined);
  const cancel = timers.after(Math.max(0, remainingMs - RESERVE_MS), () => {
    const reason = new OutOfTimeError('the invocation has no time left for this task');
    controller.abort(reason);
    passed.reject(reason);
  });
  return { signal: controller.signal, bound: (work) => Promise.race([work, passed.promise]), cancel };
}
