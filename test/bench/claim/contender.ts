/** What claims due work, one claim at a time. */
export interface Contender {
  readonly name: string;
  /** Claims, and puts right what it took without counting the time. Milliseconds per row, commit and round trips included. */
  claim(): Promise<number>;
  close(): Promise<unknown>;
}

export async function timed<T>(work: () => Promise<T>): Promise<readonly [ms: number, result: T]> {
  const begun = performance.now();
  const result = await work();
  return [performance.now() - begun, result];
}
