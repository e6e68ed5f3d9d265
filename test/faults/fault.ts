import { setTimeout as wait } from 'node:timers/promises';
import { deckOf, type Randomness } from './randomness.ts';
import type { Tally } from './tally.ts';

/** One kind of trouble. `strike` resolves with how often it hit, when the trouble is under way or over. */
export interface Fault {
  readonly kind: string;
  strike(): Promise<number>;
}

export type Faults = readonly [Fault, ...Fault[]];

/** Strikes with one fault after another, every kind once before any comes again, until the signal aborts. */
export async function trouble(faults: Faults, { tally, randomness, pauseMs, signal }: TroubleOptions): Promise<void> {
  const draw = deckOf(faults, randomness);
  while (!signal.aborted) {
    const { kind, strike } = draw();
    await strike().then(
      (times) => tally.fault(kind, times),
      (error: unknown) => tally.violation(`"${kind}" could not be done: ${String(error)}`),
    );
    await wait(randomness.whole(...pauseMs), undefined, { signal }).catch(() => undefined);
  }
}

export interface TroubleOptions {
  readonly tally: Tally;
  readonly randomness: Randomness;
  /** Between two strikes, the least and the most. */
  readonly pauseMs: readonly [least: number, most: number];
  readonly signal: AbortSignal;
}
