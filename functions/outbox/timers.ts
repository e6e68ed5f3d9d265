/** Both return what cancels them. */
export interface Timers {
  every(ms: number, run: () => void): () => void;
  after(ms: number, run: () => void): () => void;
}

/** A longer delay would make Node fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemTimers: Timers = {
  every(ms, run) {
    const timer = setInterval(run, Math.min(ms, LONGEST_MS));
    return () => clearInterval(timer);
  },
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, LONGEST_MS));
    return () => clearTimeout(timer);
  },
};
