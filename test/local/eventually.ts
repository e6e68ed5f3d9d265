import { setTimeout as wait } from 'node:timers/promises';

const PATIENCE_MS = 60_000;
const PAUSE_MS = 20;

/** Looks until there is something to see, and returns it; what throws is not there yet. Fails with `what` in the end. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined | null | false>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  let cause: unknown;
  while (Date.now() < deadline) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== null && seen !== false) return seen;
    } catch (error) {
      cause = error;
    }
    await wait(PAUSE_MS);
  }
  throw new Error(`never seen: ${what}`, { cause });
}
