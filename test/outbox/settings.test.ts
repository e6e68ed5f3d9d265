import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { outboxSettings } from '../../functions/outbox/settings.ts';

const VARIABLES = ['LEASE_MS', 'MAX_ATTEMPT', 'BACKOFF_BASE_MS', 'MAX_BACKOFF_MS'] as const;

beforeEach(() => {
  for (const variable of VARIABLES) vi.stubEnv(variable, undefined);
});
afterEach(() => void vi.unstubAllEnvs());

it('a lease is five minutes, and twelve tries are a second to an hour apart, unless the environment says otherwise', () => {
  const hour = 60 * 60 * 1_000;
  expect(outboxSettings()).toEqual({
    leaseMs: 5 * 60 * 1_000,
    maxAttempt: 12,
    backoff: { baseMs: 1_000, maxMs: hour },
  });
});

it('each figure has a variable of its own', () => {
  VARIABLES.forEach((variable, at) => void vi.stubEnv(variable, String(at + 1)));
  expect(outboxSettings()).toEqual({ leaseMs: 1, maxAttempt: 2, backoff: { baseMs: 3, maxMs: 4 } });
});
