/** What a run did, counted by kind, and what it found. */
export class Tally {
  readonly faults = new Map<string, number>();
  readonly violations = new Set<string>();
  begun = 0;
  finished = 0;
  refunds = 0;
  /** Requests of shoppers that had to be made again. */
  retries = 0;

  fault(kind: string, times = 1): void {
    if (times > 0) this.faults.set(kind, (this.faults.get(kind) ?? 0) + times);
  }

  violation(words: string): void {
    this.violations.add(words);
  }

  faultCount(): number {
    return this.faults.values().reduce((sum, times) => sum + times, 0);
  }
}
