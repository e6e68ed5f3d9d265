import { fetchSecretTexts, newSecretsClient, type SecretsClient } from './secrets-manager.ts';
import { milliseconds } from './settings.ts';

export interface SecretReader {
  /** The current value and, while a rotation has left one, the previous. Throws `SecretUnavailableError`. */
  read(secretId: string): Promise<readonly string[]>;
  /**
   * The values of a fetch that began after this call, or that found other values than the cache had. Each secret is
   * refetched at most three times in thirty seconds, also while that fails: a forged delivery must not close the way
   * for a genuine one, and a flood of them must not reach Secrets Manager. Beyond that this is `read`, or throws
   * `SecretUnavailableError` without asking when the last fetch failed: values that may be out of date refuse nobody.
   */
  refresh(secretId: string): Promise<readonly string[]>;
}

interface Options {
  readonly client?: SecretsClient;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly ttlMs?: number;
  /** How long after a rotation, in milliseconds, the previous value is still given. */
  readonly previousForMs: number;
}

const REFETCHES = { count: 3, withinMs: 30_000 };
/** A function reads one or two secrets; the bound is there so that no mistake makes a cache grow. */
const MAX_ENTRIES = 16;

/** Reads secrets through a short-lived cache. Concurrent reads of one secret share one fetch; no failure is kept for them. */
export function secretReader({ client, now, ttlMs = 300_000, previousForMs }: Options): SecretReader {
  const cache = new Map<string, { values: readonly string[]; expiresAt: number }>();
  const refetchedAt = new Map<string, readonly number[]>();
  /** Of secrets whose last fetch failed. */
  const failures = new Map<string, unknown>();
  const inFlight = new Map<string, Promise<readonly string[]>>();
  let theClient = client;

  async function fetchAndKeep(secretId: string): Promise<readonly string[]> {
    try {
      theClient ??= await newSecretsClient();
      const values = await fetchSecretTexts(theClient, secretId, { now: now(), previousForMs });
      putBounded(cache, secretId, { values, expiresAt: now() + ttlMs });
      failures.delete(secretId);
      return values;
    } catch (error) {
      putBounded(failures, secretId, error);
      throw error;
    }
  }

  function fetchOnce(secretId: string): Promise<readonly string[]> {
    const running = inFlight.get(secretId);
    if (running !== undefined) return running;
    const started = fetchAndKeep(secretId).finally(() => inFlight.delete(secretId));
    inFlight.set(secretId, started);
    return started;
  }

  async function read(secretId: string): Promise<readonly string[]> {
    const entry = cache.get(secretId);
    return entry && now() < entry.expiresAt ? entry.values : fetchOnce(secretId);
  }

  async function refresh(secretId: string): Promise<readonly string[]> {
    const known = cache.get(secretId)?.values;
    const values = await inFlight.get(secretId)?.catch(() => undefined);
    if (values !== undefined && String(values) !== String(known)) return values;
    return inFlight.get(secretId) ?? refetch(secretId);
  }

  async function refetch(secretId: string): Promise<readonly string[]> {
    const begunAt = now();
    const recent = (refetchedAt.get(secretId) ?? []).filter((at) => begunAt - at < REFETCHES.withinMs);
    if (recent.length >= REFETCHES.count) {
      if (failures.has(secretId)) throw failures.get(secretId);
      return read(secretId);
    }
    putBounded(refetchedAt, secretId, [...recent, begunAt]);
    return fetchOnce(secretId);
  }

  return { read, refresh };
}

/** The reader of a deployed function: by the clock, and by its environment's word on previous values. */
export function functionSecrets(): SecretReader {
  return secretReader({ now: Date.now, previousForMs: milliseconds('PREVIOUS_SECRET_MS', 86_400_000) });
}

function putBounded<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_ENTRIES && oldest !== undefined) map.delete(oldest);
}
