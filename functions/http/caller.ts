import { isIdentifier } from './identifier.ts';
import type { JsonRequest } from './json-route.ts';
import { HttpProblem } from './problem.ts';

export interface Caller {
  readonly customerId: string;
  readonly email: string | null;
}

/** Who calls, by the claims of the JWT that API Gateway has verified. Throws 401 `unauthenticated` without a subject. */
export function callerOf(request: JsonRequest): Caller {
  // Only the gateway puts claims there; a route that lost its authorizer arrives without any.
  const claims: Readonly<Record<string, unknown>> = request.requestContext.authorizer?.jwt?.claims ?? {};
  const { sub, email } = claims;
  if (typeof sub !== 'string' || !isIdentifier(sub)) {
    throw new HttpProblem(401, 'unauthenticated', 'Sign in first.');
  }
  return { customerId: sub, email: typeof email === 'string' && email.trim() !== '' ? email : null };
}
