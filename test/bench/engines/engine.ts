/** What can queue tasks and run them. */
export interface Engine {
  readonly name: string;
  /** Queues so many tasks, each in a transaction of its own as a payment's are, so many at once as the engine is wide. */
  enqueue(count: number): Promise<void>;
  /** Runs the queued tasks, which do nothing. Ends when all are stored as done. */
  drain(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Runs something so many times, `width` at once. */
export async function atOnce(width: number, times: number, run: () => Promise<unknown>): Promise<void> {
  let left = times;
  const lane = async () => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: width }, lane));
}
