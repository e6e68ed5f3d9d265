import * as v from 'valibot';
import { fetchSecretText, newSecretsClient } from '../platform/secrets-manager.ts';
import { count, text } from '../platform/settings.ts';
import { connect, type DatabaseServer, openAhead, type Sql } from './connection.ts';

/** The role that migration 0003 makes: it can add and move rows, and rewrite nothing that must stay. */
const APPLICATION_ROLE = 'payments_app';
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1']);

/**
 * The database that this function's environment names, as the application's role. Throws `SettingError` and the like. The
 * first connection opens while the function loads what else it needs: it is started for an event that waits.
 */
export async function openDatabase(): Promise<Sql> {
  const sql = await ofEnvironment(count('DATABASE_MAX_CONNECTIONS', 1));
  void openAhead(sql);
  return sql;
}

async function ofEnvironment(max: number): Promise<Sql> {
  if (process.env.DATABASE_SECRET_ID)
    return connect({ server: { ...(await serverOfSecret()), role: APPLICATION_ROLE }, max });
  if (process.env.DATABASE_HOST) return connect({ server: auroraServer(token), max });
  return connect({ url: text('DATABASE_URL'), max });
}

/**
 * The same database as the owner of the schema. Aurora takes a token from whoever is a member of `rds_iam`, and only a
 * password from others; its owner becomes one by making a role that is one, so both are tried.
 */
export async function openDatabaseAsOwner(): Promise<Sql> {
  if (process.env.DATABASE_SECRET_ID) return connect({ server: await serverOfSecret(), max: 1 });
  const byPassword = connect({ server: auroraServer(ownersPassword), max: 1 });
  try {
    await byPassword`SELECT 1`;
    return byPassword;
  } catch (error) {
    await byPassword.end({ timeout: 1 });
    if (!isRefusal(error)) throw error;
    return connect({ server: auroraServer(token), max: 1 });
  }
}

/** SQLSTATE class 28: the server does not accept this user in this way. */
function isRefusal(error: unknown): boolean {
  return String((Object(error) as { code?: unknown }).code).startsWith('28');
}

function auroraServer(password: (server: ServerName) => Promise<string>): DatabaseServer {
  const name = { host: text('DATABASE_HOST'), port: 5432, username: text('DATABASE_USER') };
  return { ...name, database: text('DATABASE_NAME'), tls: true, password: () => password(name) };
}

type ServerName = Pick<DatabaseServer, 'host' | 'port' | 'username'>;

/** Good for fifteen minutes, and only ever for opening a connection. */
async function token({ host: hostname, port, username }: ServerName): Promise<string> {
  const { Signer } = await import('@aws-sdk/rds-signer');
  return new Signer({ hostname, port, username, region: text('AWS_REGION') }).getAuthToken();
}

async function ownersPassword(): Promise<string> {
  return (await readSecret('DATABASE_OWNER_SECRET_ID', v.object({ password: Filled }), CONNECT_MS)).password;
}

/** Lambda gives a function ten seconds to start. Later a read has to leave time for the connection that waits for it. */
const START_MS = 8_000;
const CONNECT_MS = 3_000;

const Filled = v.pipe(v.string(), v.nonEmpty());

// postgres.js takes a comma for a list of hosts and a colon for the port, also within an IPv6 address.
const Host = v.pipe(v.string(), v.regex(/^[^\s,:/]+$/));
const Port = v.pipe(
  v.union([v.string(), v.number()]),
  v.transform(Number),
  v.integer(),
  v.minValue(1),
  v.maxValue(65_535),
);

const DatabaseSecret = v.object({
  host: Host,
  port: v.optional(Port, 5432),
  dbname: Filled,
  username: Filled,
  password: Filled,
});

/**
 * The server that a secret describes, in the form that RDS and its rotation use. The password is read again for every new
 * connection, so that one which was rotated works at once. TLS is left out on this machine's own address only.
 */
async function serverOfSecret(): Promise<DatabaseServer> {
  const read = (timeoutMs: number) => readSecret('DATABASE_SECRET_ID', DatabaseSecret, timeoutMs);
  const { host, port, dbname, username } = await read(START_MS);
  return {
    host,
    port,
    username,
    database: dbname,
    tls: !LOOPBACK.has(host),
    password: async () => (await read(CONNECT_MS)).password,
  };
}

class DatabaseSecretError extends Error {
  override readonly name = 'DatabaseSecretError';
}

async function readSecret<T>(variable: string, shape: v.GenericSchema<unknown, T>, timeoutMs: number): Promise<T> {
  const current = await fetchSecretText(await newSecretsClient(), text(variable), timeoutMs);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), current, { abortPipeEarly: true });
  if (parsed.success) return parsed.output;
  const fields = parsed.issues.map((issue) => describeField(v.getDotPath(issue) ?? 'JSON')).join(', ');
  throw new DatabaseSecretError(`the secret of ${variable} lacks or misstates: ${fields}`);
}

const FORMS: ReadonlyMap<string, string> = new Map([
  ['host', 'one name or IPv4 address'],
  ['port', '1 to 65535'],
]);

/** Not by the issue's own message: that quotes what the secret holds. */
function describeField(field: string): string {
  const form = FORMS.get(field);
  return form === undefined ? field : `${field} (${form})`;
}
