/** One line of the benchmark's table. */
export interface Row {
  readonly what: string;
  /** Two figures of one run on one machine, divided; or a count, where the goal is a count. */
  readonly value: number;
  /** Null where nothing is demanded and the figure is only reported. */
  readonly goal: { readonly atLeast: number } | { readonly atMost: number } | null;
  /** What was divided by what, with units. */
  readonly basis: string;
}

/** A part of the benchmark that can be run by itself: `npm run bench -- NAME`. */
export interface Part {
  readonly name: string;
  /** Said before it begins. */
  readonly about: string;
  readonly minutes: number;
  run(bench: Bench): Promise<readonly Row[]>;
}

export interface Bench {
  /** Shows what is being done at the moment. */
  progress(words: string): void;
  /** A new migrated database on the one durable server of this run. */
  newDatabase(name: string): Promise<BenchDatabase>;
}

export interface BenchDatabase {
  /** As the owner of the schema. */
  readonly ownerUrl: string;
  /** As the role that the functions have. */
  readonly appUrl: string;
  /** Ends whatever is still connected. */
  drop(): Promise<void>;
}

export function isMet({ value, goal }: Row): boolean {
  if (goal === null) return true;
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
}
