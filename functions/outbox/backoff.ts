export interface BackoffSettings {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Doubling more often than this passes every cap that fits a timer. */
const MAX_DOUBLINGS = 30;

/**
 * Milliseconds to wait after the given failed try (1 for the first): the base doubled for each further one, spread by a
 * quarter to both sides so that tasks which failed together do not come back together, and never beyond `maxMs`.
 */
export function backoffMs(attempt: number, { baseMs, maxMs }: BackoffSettings, random: () => number): number {
  const exponential = Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, MAX_DOUBLINGS));
  return Math.min(maxMs, Math.round(exponential * (0.75 + random() * 0.5)));
}
