import dns from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer, type Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { connect } from '../../functions/database/connection.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const HOST = 'database.example';
const trusted = getCACertificates('default');

let db: TestDatabase;
let front: Server;
/** The names that clients have asked for in their handshakes. */
let asked: (string | false | null)[];

beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.drop());
beforeEach(() => {
  asked = [];
  vi.spyOn(dns, 'lookup').mockImplementation(((_name: string, options: { all?: boolean }, done: CallableFunction) =>
    options.all
      ? done(null, [{ address: '127.0.0.1', family: 4 }])
      : done(null, '127.0.0.1', 4)) as unknown as typeof dns.lookup);
});
afterEach(() => {
  vi.restoreAllMocks();
  setDefaultCACertificates(trusted);
  front.close();
});

/** Puts TLS in front of the real PostgreSQL, as PostgreSQL itself would answer a client that asks for it. */
async function serve(name: string): Promise<{ certificate: string }> {
  const made = await generate([{ name: 'commonName', value: name }], {
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  });
  const { hostname, port } = new URL(db.appUrl);
  front = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, key: made.private, cert: made.cert });
      const behind = connectTcp(Number(port), hostname);
      secure.on('error', () => behind.destroy()).once('secure', () => asked.push(secure.servername));
      behind.on('error', () => secure.destroy());
      secure.pipe(behind).pipe(secure);
    });
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return { certificate: made.cert };
}

function open() {
  const { username, password, pathname } = new URL(db.appUrl);
  const { port } = front.address() as AddressInfo;
  const server = { host: HOST, port, username, database: pathname.slice(1), password: async () => password, tls: true };
  return connect({ server, max: 1 });
}

it('a server is spoken to under its own name, when its certificate is for it', async () => {
  const { certificate } = await serve(HOST);
  setDefaultCACertificates([...trusted, certificate]);
  const sql = open();
  expect(await sql`SELECT current_user AS name`).toEqual([{ name: 'payments_app' }]);
  expect(asked).toEqual([HOST]);
  await sql.end();
});

it('a certificate of another name is refused before a password is sent', async () => {
  const { certificate } = await serve('localhost');
  setDefaultCACertificates([...trusted, certificate]);
  await expect(open()`SELECT 1`).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

it('a certificate that nobody vouches for is refused', async () => {
  await serve(HOST);
  await expect(open()`SELECT 1`).rejects.toMatchObject({ code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO_VERIFY/) });
});
