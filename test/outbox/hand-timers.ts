import type { Timers } from '../../functions/outbox/timers.ts';

export interface HandTimers {
  readonly timers: Timers;
  /** Milliseconds of every interval that was asked for. */
  readonly intervals: number[];
  readonly delays: number[];
  readonly running: () => number;
  /** Fires the intervals that are still running. */
  beat(): void;
  /** Fires the delays that are still waiting. */
  timeIsUp(): void;
}

/** Timers that a test fires by hand. */
export function handTimers(): HandTimers {
  const beats = new Set<() => void>();
  const waits = new Set<() => void>();
  const intervals: number[] = [];
  const delays: number[] = [];
  const keep = (among: Set<() => void>, run: () => void) => {
    among.add(run);
    return () => void among.delete(run);
  };
  return {
    timers: {
      every(ms, run) {
        intervals.push(ms);
        return keep(beats, run);
      },
      after(ms, run) {
        delays.push(ms);
        return keep(waits, run);
      },
    },
    intervals,
    delays,
    running: () => beats.size + waits.size,
    beat: () => [...beats].forEach((run) => void run()),
    timeIsUp: () => [...waits].forEach((run) => void run()),
  };
}
