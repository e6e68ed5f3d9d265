import { count, milliseconds } from '../platform/settings.ts';
import type { BackoffSettings } from './backoff.ts';

export interface OutboxSettings {
  /** How long a claimed row is its claimer's or worker's without a renewal. */
  readonly leaseMs: number;
  /** Failed tries after which a task is given up and paged. */
  readonly maxAttempt: number;
  readonly backoff: BackoffSettings;
}

export function outboxSettings(): OutboxSettings {
  return {
    leaseMs: milliseconds('LEASE_MS', 300_000),
    maxAttempt: count('MAX_ATTEMPT', 12),
    backoff: { baseMs: milliseconds('BACKOFF_BASE_MS', 1_000), maxMs: milliseconds('MAX_BACKOFF_MS', 3_600_000) },
  };
}
