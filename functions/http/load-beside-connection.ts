import type { Context } from 'aws-lambda';

type Handler<Event, Answer> = (event: Event, context: Context) => Promise<Answer>;

/**
 * A handler whose code is loaded while the function's first connection opens. AWS Lambda waits for what an entry imports
 * before anything else happens; what is begun there and not waited for runs while the network is being waited for.
 */
export function loadBesideConnection<Event, Answer>(
  load: () => Promise<Handler<Event, Answer>>,
): Handler<Event, Answer> {
  const loading = load();
  return async (event, context) => (await loading)(event, context);
}
