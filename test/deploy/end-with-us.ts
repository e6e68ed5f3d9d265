const ENDS = ['disconnect', 'SIGINT', 'SIGTERM'] as const;

/** Ends what the test has started also when the test is ended: by Ctrl-C, or because whoever started it is gone. */
export function endWithUs(teardown: AsyncDisposableStack): void {
  const end = (): void => void teardown.disposeAsync().finally(() => process.exit(1));
  for (const event of ENDS) process.once(event, end);
  teardown.defer(() => {
    for (const event of ENDS) process.off(event, end);
  });
}
