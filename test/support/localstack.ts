import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where LocalStack answers, in a run of the tests against it. */
    localStackUrl?: string;
  }
}

/** Base URL of the LocalStack that this run is against; null in a run that starts its own services. */
export function localStackUrl(): string | null {
  return inject('localStackUrl') ?? null;
}
