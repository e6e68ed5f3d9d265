/** Choices that a seed repeats. */
export class Randomness {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1. */
  next(): number {
    // Mulberry32: short, and even enough for choices.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.whole(0, choices.length - 1)] ?? choices[0];
  }

  /** A source of its own, so that what one does with it moves no other. */
  fork(): Randomness {
    return new Randomness(Math.floor(this.next() * 2 ** 32));
  }
}

/** Draws every choice once before any comes again, in random order. */
export function deckOf<T>(choices: readonly [T, ...T[]], randomness: Randomness): () => T {
  const left: T[] = [];
  return () => {
    if (left.length === 0) left.push(...choices);
    const [card] = left.splice(randomness.whole(0, left.length - 1), 1);
    return card ?? choices[0];
  };
}
