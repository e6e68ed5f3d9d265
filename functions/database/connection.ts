import { Socket } from 'node:net';
import postgres from 'postgres';

export type Sql = postgres.Sql<{ bigint: number }>;
/** One connection inside a transaction; takes the same tagged queries as `Sql`. */
export type Transaction = postgres.ReservedSql<{ bigint: number }>;

/** A server to connect to, and who as. */
export interface DatabaseServer {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly username: string;
  /** Asked for every new connection, so that a token or a rotated password is always fresh. */
  readonly password: () => Promise<string>;
  /** Encrypted, with the server's certificate and name verified; false on this machine only. */
  readonly tls: boolean;
  /** Role to work as from the first statement on; the user must be a member of it. */
  readonly role?: string;
}

export type ConnectionOptions = ({ readonly url: string } | { readonly server: DatabaseServer }) & {
  /** Connections of this process. A Lambda instance handles one event at a time, so it needs one. */
  readonly max: number;
  readonly connectTimeoutSeconds?: number;
};

/**
 * Opens a lazy connection pool to a `postgres://` URL or a server. Columns are camelCase on our side (keys inside
 * JSONB are left alone), NUMERIC is its text, BIGINT a number that is refused when a number cannot hold it exactly.
 */
export function connect({ max, connectTimeoutSeconds = 5, ...target }: ConnectionOptions): Sql {
  const options = {
    onclose: () => void poolsWithLoss.add(sql),
    socket: openSocket,
    max,
    connect_timeout: connectTimeoutSeconds,
    onnotice: () => undefined,
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel } },
    types: { bigint: { to: 20, from: [20], serialize: String, parse: safeInteger } },
  };
  const sql: Sql =
    'url' in target ? postgres(target.url, options) : postgres({ ...options, ...serverOptions(target.server) });
  return sql;
}

/**
 * A socket that sends at once. By default the end of a flight of several packets would wait until its beginning has been
 * acknowledged, which is a round trip. `host` is what postgres.js checks the server's certificate against.
 */
function openSocket({ host: [host = ''], port: [port] }: { host: string[]; port: number[] }): Socket {
  const socket = Object.assign(new Socket(), { host }).setNoDelay();
  // After postgres.js has begun to listen: an address that cannot even be tried fails at once, and unheard ends the process.
  queueMicrotask(() => socket.connect(Number(port), host));
  return socket;
}

function serverOptions({ tls, role, ...server }: DatabaseServer) {
  return {
    ...server,
    ssl: tls ? ('verify-full' as const) : false,
    // What the role is set to be limited by counts for who logs in as it, not for who becomes it.
    ...(role !== undefined && { connection: { role, ...LIMITS } }),
  };
}

const poolsWithLoss = new WeakSet<Sql>();

const openings = new WeakMap<Sql, Promise<boolean>>();

/** Begins to open the pool's first connection. Whether it could be opened is no failure here: the next query shows it. */
export function openAhead(sql: Sql): Promise<boolean> {
  const opening = sql`SELECT 1`.then(
    () => true,
    () => false,
  );
  openings.set(sql, opening);
  return opening;
}

/** Whether a connection of the pool has gone, or could not be opened ahead, since this was last asked. */
export async function hasLostConnection(sql: Sql): Promise<boolean> {
  const isOpened = (await openings.get(sql)) ?? true;
  openings.delete(sql);
  return poolsWithLoss.delete(sql) || !isOpened;
}

/** As migration 0003 sets them for the application's role, in milliseconds. */
const LIMITS = { statement_timeout: 10_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 15_000 };

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('a BIGINT column holds more than a safe integer');
  return value;
}
