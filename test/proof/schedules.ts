/** Chooses one of the runnable actors, by place. */
export type Choose = (runnable: readonly string[]) => number;

export interface Tried {
  readonly schedules: number;
  /** Whether these were all that there are. */
  readonly complete: boolean;
}

/**
 * Runs schedules until all have been run or `limit` is reached: the first half depth first, which ends early for a small
 * case, and then, where that was not all, schedules drawn at random.
 */
export async function trySchedules(
  run: (choose: Choose) => Promise<unknown>,
  { limit, random }: { limit: number; random: () => number },
): Promise<Tried> {
  let prefix: readonly number[] | null = [];
  let schedules = 0;
  for (; prefix && schedules < Math.ceil(limit / 2); schedules++) prefix = await runAndBacktrack(run, prefix);
  if (!prefix) return { schedules, complete: true };
  for (; schedules < limit; schedules++) await run((runnable) => Math.floor(random() * runnable.length));
  return { schedules, complete: false };
}

/** Runs the schedule that begins like this, and gives the beginning of the next one; null when it was the last. */
async function runAndBacktrack(
  run: (choose: Choose) => Promise<unknown>,
  prefix: readonly number[],
): Promise<readonly number[] | null> {
  const choices: { readonly chosen: number; readonly of: number }[] = [];
  await run((runnable) => {
    const chosen = Math.min(prefix[choices.length] ?? 0, runnable.length - 1);
    choices.push({ chosen, of: runnable.length });
    return chosen;
  });
  const last = choices.findLastIndex(({ chosen, of }) => chosen + 1 < of);
  if (last < 0) return null;
  return choices.slice(0, last + 1).map(({ chosen }, at) => (at === last ? chosen + 1 : chosen));
}

/** Every order in which the actors can run one after the other. */
export function serialOrders(names: readonly string[]): Choose[] {
  return ordersOf(names).map((order) => (runnable) => {
    const first = order.find((name) => runnable.includes(name));
    return first === undefined ? 0 : runnable.indexOf(first);
  });
}

function ordersOf(names: readonly string[]): string[][] {
  if (names.length === 0) return [[]];
  return names.flatMap((name, at) => ordersOf(names.toSpliced(at, 1)).map((rest) => [name, ...rest]));
}

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
