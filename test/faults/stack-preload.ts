/** Loaded into the stack's process before anything else. */
const TrueDate = Date;
const skewMs = Number(process.env.CLOCK_SKEW_MS);

/** The clock differs from everybody else's by CLOCK_SKEW_MS. */
globalThis.Date = new Proxy(TrueDate, {
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self) as Date,
  get: (target, name, self) => (name === 'now' ? now : Reflect.get(target, name, self)),
});

function now(): number {
  return TrueDate.now() + skewMs;
}

/**
 * postgres.js 3.4.9 leaves one promise to nobody: of the query for array types that it sends by itself on each new
 * connection. When the connection is lost right then, the process ends. On AWS that is one invocation, which its event
 * source repeats; here it would be all functions at once. Any other rejection that nobody handles ends the process.
 */
process.on('unhandledRejection', (error) => {
  const { query } = Object(error) as { query?: unknown };
  if (typeof query !== 'string' || !query.includes('from pg_catalog.pg_type a')) throw error;
});
