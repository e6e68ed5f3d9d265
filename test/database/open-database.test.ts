import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../functions/database/open-database.ts';
import { type RecordingServer, startRecordingServer } from '../platform/recording-server.ts';
import { createDatabase } from '../support/database.ts';

const SERVER = { host: '127.0.0.1', port: 9, dbname: 'shop', username: 'merchant', password: 'secret' };

/** What the secret holds. */
let server: Record<string, unknown>;
/** A secrets manager that has only the current version of one secret; its other answers are a failure of its own. */
let secrets: RecordingServer;
let asked: string[];
beforeEach(async () => {
  asked = [];
  server = SERVER;
  secrets = await startRecordingServer((response, { body }) => {
    const { VersionStage } = JSON.parse(body) as { VersionStage: string };
    asked.push(VersionStage);
    const status = VersionStage === 'AWSCURRENT' ? 200 : 400;
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(
      JSON.stringify(status === 200 ? { SecretString: JSON.stringify(server) } : { __type: 'InvalidRequestException' }),
    );
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', secrets.url);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('DATABASE_SECRET_ID', 'database');
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await secrets.close();
});

it('a function starts by the current version of its secret alone, and waits for it nearly as long as it may start', async () => {
  const limits = vi.spyOn(AbortSignal, 'timeout');
  await openDatabase();
  expect(asked).toEqual(['AWSCURRENT']);
  expect(limits.mock.calls).toEqual([[8_000]]);
});

it.each([1, 65_535])('the port %j of a secret is taken', async (port) => {
  server = { ...SERVER, port };
  const sql = await openDatabase();
  expect(sql.options.port).toEqual([port]);
  await sql.end({ timeout: 0 });
});

it.each([0, -1, 65_536, 5432.5, '', 'five', '65536'])('the port %j of a secret is refused', async (port) => {
  server = { ...SERVER, port };
  await expect(openDatabase()).rejects.toThrow(
    /^the secret of DATABASE_SECRET_ID lacks or misstates: port \(1 to 65535\)$/,
  );
});

it.each(['localhost', '127.0.0.1'])(
  'the host %j of a secret is connected to, by a port that is a text',
  async (host) => {
    const db = await createDatabase();
    onTestFinished(() => db.drop());
    const { port, username, password, pathname } = new URL(db.appUrl);
    server = { host, port, dbname: pathname.slice(1), username, password };
    const sql = await openDatabase();
    expect(await sql`SELECT current_user AS name`).toEqual([{ name: 'payments_app' }]);
    await sql.end();
  },
);

// postgres.js would take the part before the first colon, or the first of a list, and connect to that.
it.each(['::1', '[::1]', '2001:db8::1', '127.0.0.1:5432', 'a.example,b.example', '/var/run/postgresql', ' ', ''])(
  'the host %j of a secret is refused',
  async (host) => {
    server = { ...SERVER, host };
    await expect(openDatabase()).rejects.toThrow(
      /^the secret of DATABASE_SECRET_ID lacks or misstates: host \(one name or IPv4 address\)$/,
    );
  },
);

it('every field that is wrong is named once, and none is shown', async () => {
  server = { ...SERVER, host: '::1', port: -1.5, dbname: '', password: 7 };
  await expect(openDatabase()).rejects.toThrow(
    'lacks or misstates: host (one name or IPv4 address), port (1 to 65535), dbname, password',
  );
});
