/** npm passes a Ctrl-C on that the terminal has sent to us already: two within this time are one. */
const SAME_REQUEST_MS = 500;

/** Aborts at the first Ctrl-C or SIGTERM; the next one ends the process at once. */
export function onStopRequest(): AbortSignal {
  const stop = new AbortController();
  let first = 0;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted && Date.now() - first > SAME_REQUEST_MS) process.exit(130);
      first ||= Date.now();
      stop.abort();
    });
  }
  return stop.signal;
}
