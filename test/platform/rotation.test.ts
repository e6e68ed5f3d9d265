import { EventEmitter, once } from 'node:events';
import {
  type GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startClinkDouble } from '../../bin/local/clink-double/server.ts';
import { createClinkClient } from '../../functions/clink/client.ts';
import { openDatabase } from '../../functions/database/open-database.ts';
import { inTransaction } from '../../functions/database/transaction.ts';
import { receiveEvent } from '../../functions/flows/receive-event.ts';
import { clinkWebhookHandler } from '../../functions/http/clink-webhook.ts';
import { signedCall } from '../../functions/merchant/signed-call.ts';
import { type SecretReader, secretReader } from '../../functions/platform/secrets.ts';
import { clinkSignature, lambdaContext, payload } from '../http/payload.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startSecrets, type TestSecrets } from '../support/secrets.ts';
import { startRecordingServer } from './recording-server.ts';

/** The steps of docs/rotation.md, over the real protocol of Secrets Manager, with traffic going on all the while. */

const HOUR_MS = 3_600_000;
const CACHE_MS = 300_000;

let db: TestDatabase;
let secrets: TestSecrets;
let operator: SecretsManagerClient;
/** How much later it is for the functions than for this machine. */
let later: number;
const now = () => Date.now() + later;

beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.drop());
beforeEach(async () => {
  later = 0;
  secrets = await startSecrets();
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', secrets.url);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', secrets.credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secrets.credentials.secretAccessKey);
  operator = new SecretsManagerClient();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  operator.destroy();
  await secrets.close();
});

/** `aws secretsmanager put-secret-value` */
async function put(SecretId: string, SecretString: string): Promise<void> {
  await operator.send(new PutSecretValueCommand({ SecretId, SecretString }));
}

/** Instances of a function: each has its own cache, warm from the first call on. */
const instances = (): SecretReader[] =>
  Array.from({ length: 3 }, () => secretReader({ now, previousForMs: 24 * HOUR_MS }));

interface Traffic {
  /** Resolves when this many more rounds have gone through. */
  goesOn(rounds?: number): Promise<void>;
  /** Sets the clock between two rounds: no message is older than the window only because time was turned. */
  isLaterBy(ms: number): void;
  stop(): Promise<readonly unknown[]>;
}

/** Sends round after round until it is stopped, and keeps every answer. */
function startTraffic(round: () => Promise<readonly unknown[]>): Traffic {
  const rounds = new EventEmitter();
  const answers: unknown[] = [];
  let isStopped = false;
  let laterFromNowOn = later;
  const run = async (): Promise<void> => {
    while (!isStopped) {
      later = laterFromNowOn;
      answers.push(...(await round()));
      rounds.emit('round');
    }
  };
  const running = run();
  return {
    async goesOn(count = 3) {
      for (let passed = 0; passed < count; passed++) await Promise.race([once(rounds, 'round'), running]);
    },
    isLaterBy(ms) {
      laterFromNowOn = ms;
    },
    async stop() {
      isStopped = true;
      await running;
      return answers;
    },
  };
}

describe('the webhook signing secret', () => {
  const OLD = 'whsec_old_0123456789';
  const NEW = 'whsec_new_0123456789';
  const receive = (event: Parameters<typeof receiveEvent>[1], body: Parameters<typeof receiveEvent>[2]) =>
    receiveEvent({ sql: db.app, wakeUp: async () => undefined }, event, body);

  const handlerOf = (reader: SecretReader) =>
    clinkWebhookHandler({
      signingSecrets: { read: () => reader.read('webhook'), refresh: () => reader.refresh('webhook') },
      receive,
      replayWindowMs: CACHE_MS,
      now,
    });

  async function deliver(handler: ReturnType<typeof handlerOf>, secret: string, id: string): Promise<string> {
    const at = now();
    const body = JSON.stringify({ id, object: 'event', type: 'customer.verify', created: at, data: { object: {} } });
    const headers = {
      'x-clink-timestamp': String(at),
      'x-clink-signature': clinkSignature(secret, String(at), body),
      'x-clink-signtype': 'SHA256',
    };
    const { statusCode, body: answer } = await handler(payload({ body, headers }), lambdaContext);
    return `${statusCode} ${answer}`;
  }

  let number = 0;
  const eventId = () => `event_rotation_${++number}`;

  it('is replaced by a second endpoint without one genuine delivery refused', async () => {
    await secrets.put('webhook', OLD);
    const warm = instances().map(handlerOf);
    /** Clink's endpoints that are enabled, by their secrets: each gets every event. */
    const enabled = new Set([OLD]);
    const traffic = startTraffic(() => {
      const deliveries = warm.flatMap((handler) => {
        const id = eventId();
        return [...enabled].map((secret) => deliver(handler, secret, id));
      });
      return Promise.all(deliveries);
    });
    await traffic.goesOn();

    await put('webhook', NEW);
    await traffic.goesOn();
    enabled.add(NEW);
    await traffic.goesOn();
    enabled.delete(OLD);
    await traffic.goesOn();
    traffic.isLaterBy(25 * HOUR_MS);
    await traffic.goesOn();

    const answers = await traffic.stop();
    expect(answers.length).toBeGreaterThanOrEqual(45);
    expect(new Set(answers)).toEqual(new Set(['200 ok']));
    const [stored] = await db.owner`SELECT count(*) FROM webhook_events WHERE id LIKE 'event_rotation_%'`;
    expect(stored?.count).toBe(number);
  });

  it('is refused when its time as the previous one is over', async () => {
    await secrets.put('webhook', OLD);
    const [reader] = instances();
    const handler = handlerOf(reader ?? expect.fail());
    await put('webhook', NEW);
    later = 24 * HOUR_MS - CACHE_MS;
    expect(await deliver(handler, OLD, eventId())).toBe('200 ok');
    later = 24 * HOUR_MS + CACHE_MS;
    expect(await deliver(handler, OLD, eventId())).toBe('401 invalid signature');
    expect(await deliver(handler, NEW, eventId())).toBe('200 ok');
  });

  it('that was put in a moment ago works at once, by a single refetch', async () => {
    await secrets.put('webhook', OLD);
    const real = new SecretsManagerClient();
    const fetched: (string | undefined)[] = [];
    const client = {
      send: (command: GetSecretValueCommand, options: object) => {
        fetched.push(command.input.VersionStage);
        return real.send(command, options);
      },
    } as unknown as SecretsManagerClient;
    const handler = handlerOf(secretReader({ client, now, previousForMs: 24 * HOUR_MS }));
    expect(await deliver(handler, OLD, eventId())).toBe('200 ok');
    fetched.length = 0;

    await put('webhook', NEW);
    const answers = await Promise.all([deliver(handler, NEW, eventId()), deliver(handler, NEW, eventId())]);
    expect(answers).toEqual(['200 ok', '200 ok']);
    expect(fetched).toEqual(['AWSCURRENT', 'AWSPREVIOUS']);

    for (let forged = 0; forged < 20; forged++) {
      expect(await deliver(handler, 'whsec_forged', eventId())).toBe('401 invalid signature');
    }
    expect(fetched).toHaveLength(6);
    later += 30_000;
    await deliver(handler, 'whsec_forged', eventId());
    expect(fetched).toHaveLength(8);
    real.destroy();
  });

  it('that has leaked ends at once when the new one is put in twice', async () => {
    await secrets.put('webhook', OLD);
    await put('webhook', NEW);
    await put('webhook', NEW);
    const handler = handlerOf(secretReader({ now, previousForMs: 24 * HOUR_MS }));
    expect(await deliver(handler, NEW, eventId())).toBe('200 ok');
    expect(await deliver(handler, OLD, eventId())).toBe('401 invalid signature');
  });
});

describe('the Clink API key', () => {
  const order = {
    merchantOrderId: 'mo_rotation',
    customerId: 'customer_1',
    customerEmail: 'shopper@example.test',
    productName: 'Poster',
    unitAmount: '19.99',
    quantity: 1,
    amount: '19.99',
    currency: 'USD',
    successUrl: 'https://shop.example/thanks',
    cancelUrl: 'https://shop.example/basket',
  };

  it('is replaced without one call refused', async () => {
    await secrets.put('api-key', 'sk_old');
    const accepted = new Set(['sk_old']);
    const double = await startClinkDouble({
      port: 0,
      databaseFile: ':memory:',
      webhookUrl: () => 'http://127.0.0.1:9/',
      apiKeys: () => [...accepted],
      signingSecret: () => 'whsec_unused',
    });
    const warm = instances().map((reader) =>
      createClinkClient({
        baseUrl: `${double.url}/api`,
        apiKeys: () => reader.read('api-key'),
        freshApiKeys: () => reader.refresh('api-key'),
        timeoutMs: 10_000,
      }),
    );
    const call = async (clink: (typeof warm)[number]): Promise<string> => {
      const { clinkSessionId } = await clink.createSession(order);
      const { clinkSessionId: shown } = await clink.getSession(clinkSessionId);
      return shown === clinkSessionId ? 'ok' : 'another session';
    };
    const traffic = startTraffic(() => Promise.all(warm.map((clink) => call(clink).catch(String))));
    await traffic.goesOn();

    accepted.add('sk_new');
    await traffic.goesOn();
    await put('api-key', 'sk_new');
    await traffic.goesOn();
    accepted.delete('sk_old');
    await traffic.goesOn();
    traffic.isLaterBy(25 * HOUR_MS);
    await traffic.goesOn();

    expect(new Set(await traffic.stop())).toEqual(new Set(['ok']));
    await double.close();
  });
});

describe('the merchant signing secret', () => {
  const OLD = Buffer.from('an old secret of the merchant').toString('base64');
  const NEW = Buffer.from('a new secret of the merchant').toString('base64');

  it('is replaced without one call that the endpoint cannot verify', async () => {
    await secrets.put('merchant', OLD);
    let endpointKnows = OLD;
    const endpoint = await startRecordingServer((response, { headers, body }) => {
      try {
        new Webhook(endpointKnows).verify(body, headers as Record<string, string>);
        response.writeHead(204).end();
      } catch {
        response.writeHead(401).end();
      }
    });
    const warm = instances().map((reader) =>
      signedCall({ merchantUrl: endpoint.url, signingSecrets: () => reader.read('merchant') }),
    );
    const traffic = startTraffic(() =>
      Promise.all(
        warm.map((call) =>
          call('/orders', 'order.paid', {}, { idempotencyKey: 'mo_1', signal: new AbortController().signal }).then(
            () => 'ok',
            String,
          ),
        ),
      ),
    );
    await traffic.goesOn();

    await put('merchant', NEW);
    await traffic.goesOn();
    traffic.isLaterBy(CACHE_MS);
    await traffic.goesOn();
    endpointKnows = NEW;
    await traffic.goesOn();
    traffic.isLaterBy(25 * HOUR_MS);
    await traffic.goesOn();

    expect(new Set(await traffic.stop())).toEqual(new Set(['ok']));
    await endpoint.close();
  });
});

describe('the password of a database of one’s own', () => {
  it('is read again for a new connection, and an open one stays open', async () => {
    const user = `merchant_${Math.random().toString(36).slice(2)}`;
    const { hostname: host, port, pathname } = new URL(db.ownerUrl);
    const secret = (password: string) =>
      JSON.stringify({ host, port, dbname: pathname.slice(1), username: user, password });
    await db.owner.unsafe(`CREATE ROLE ${user} LOGIN PASSWORD 'old' IN ROLE payments_app`);
    await secrets.put('database', secret('old'));
    vi.stubEnv('DATABASE_SECRET_ID', 'database');
    const sql = await openDatabase();
    const [connection] = await sql<{ id: number; user: string }[]>`SELECT pg_backend_pid() AS id, current_user AS user`;
    expect(connection?.user).toBe('payments_app');

    await db.owner.unsafe(`ALTER ROLE ${user} PASSWORD 'new'`);
    expect(await sql`SELECT pg_backend_pid() AS id`).toMatchObject([{ id: connection?.id }]);
    await put('database', secret('new'));
    await db.owner`SELECT pg_terminate_backend(${connection?.id ?? 0}, 5000)`;
    const whoAmI = () =>
      inTransaction(sql, async (tx) => ({ result: await tx`SELECT current_user AS user`, writes: [] }));
    // The first may still find the connection that was cut.
    await whoAmI().catch(() => undefined);
    expect(await whoAmI()).toMatchObject([{ user: 'payments_app' }]);

    await sql.end();
    await db.owner.unsafe(`DROP ROLE ${user}`);
  });
});
