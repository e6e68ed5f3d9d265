import { setTimeout as wait } from 'node:timers/promises';
import { describeError, log } from '../../../functions/platform/log.ts';

export interface Schedule {
  /** Starts no more runs and waits for the one under way. */
  stop(): Promise<void>;
}

/** Runs at once and then every `everyMs`; a run that takes longer delays the next one instead of meeting it. */
export function startSchedule(everyMs: number, run: () => Promise<unknown>): Schedule {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function tick(): Promise<void> {
    while (!signal.aborted) {
      const pause = wait(everyMs, undefined, { signal }).catch(() => undefined);
      await run().catch((error: unknown) => log.error('schedule_failed', { ...describeError(error) }));
      await pause;
    }
  }

  const ticking = tick();
  return {
    async stop() {
      stopping.abort();
      await ticking;
    },
  };
}
