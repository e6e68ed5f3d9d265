import postgres from 'postgres';

export type Sql = postgres.Sql<{ bigint: number }>;
/** One connection inside a transaction; takes the same tagged queries as `Sql`. */
export type Transaction = postgres.ReservedSql<{ bigint: number }>;

export interface ConnectionOptions {
  readonly url: string;
  /** Connections of this process. A Lambda instance handles one event at a time, so it needs one. */
  readonly max: number;
  readonly connectTimeoutSeconds?: number;
}

/**
 * Opens a lazy connection pool. Columns are camelCase on our side (keys inside JSONB are left alone), NUMERIC is its text,
 * BIGINT a number that is refused when a number cannot hold it exactly.
 */
export function connect({ url, max, connectTimeoutSeconds = 5 }: ConnectionOptions): Sql {
  return postgres(url, {
    max,
    connect_timeout: connectTimeoutSeconds,
    onnotice: () => undefined,
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    types: { bigint: { to: 20, from: [20], serialize: String, parse: safeInteger } },
  });
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('a BIGINT column holds more than a safe integer');
  return value;
}
