import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sqsClient } from '../../bin/local/aws/clients.ts';
import { startSqs } from '../../bin/local/aws/sqs.ts';
import { freePort } from '../../bin/local/free-port.ts';
import { startPostgres } from '../../bin/local/postgres.ts';
import { startSecretsManager } from '../../bin/local/secrets-manager.ts';
import { readStackFile, type Stack } from '../../bin/local/stack-file.ts';
import { startAwsEndpoint } from './aws-endpoint.ts';
import { eventually } from './eventually.ts';
import { shopperOf } from './shopper.ts';
import { failToStart, sendEvent, startStackProcess, temporaryFolder } from './stack-process.ts';

const DELIVERED = { display: 'paid', fulfillmentStatus: 'fulfilled' };

describe('npm start', { timeout: 180_000 }, () => {
  test('sells, delivers, refunds, rotates keys, stops cleanly, and goes on with its data', async () => {
    const folder = await temporaryFolder();
    const running = await startStackProcess(folder);
    const { stack } = running;
    const shopper = shopperOf(stack);

    const { merchantOrderId, sessionId } = await shopper.buy();
    expect(await shopper.order(merchantOrderId)).toMatchObject({ display: 'confirming', amount: '19.99' });
    const clinkOrderId = await shopper.pay(sessionId);
    await shopper.orderWith(merchantOrderId, DELIVERED);
    expect(await shopper.calls('fulfill', merchantOrderId)).toHaveLength(1);

    await shopper.refund(clinkOrderId, '5.00');
    await shopper.orderWith(merchantOrderId, { display: 'partially_refunded', refundedAmount: '5' });
    await shopper.refund(clinkOrderId, '14.99');
    await shopper.orderWith(merchantOrderId, { display: 'refunded', refundedAmount: '19.99' });
    const policyCalls = await eventually('both policy calls', async () => {
      const calls = await shopper.calls('apply_refund_policy', merchantOrderId);
      return calls.length === 2 && calls;
    });
    expect(policyCalls.map(({ body }) => Object(body.data).refundedAmount)).toEqual(['5', '19.99']);

    const stranger = shopperOf(stack, 1);
    await expect(stranger.order(merchantOrderId)).rejects.toThrow('HTTP 404');

    await shopper.control('POST', '/rotate/signing-secret');
    await shopper.control('POST', '/rotate/api-key');
    const rotated = await readStackFile(folder);
    expect(rotated?.webhookSigningKey).not.toBe(stack.webhookSigningKey);
    expect(rotated?.clinkSecretKey).not.toBe(stack.clinkSecretKey);
    const second = await shopper.buy('tenugui-cloth');
    await shopper.pay(second.sessionId);
    await shopper.orderWith(second.merchantOrderId, { ...DELIVERED, amount: '1800' });

    const other = await failToStart(folder);
    expect([other.code, other.stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(other.stderr).toContain('another npm start runs on');
    expect(await readStackFile(folder)).not.toBeNull();

    const { code, stderr } = await running.end('SIGINT');
    expect(code).toBe(0);
    expect(stderr).not.toContain('npm start');
    expect(await readStackFile(folder)).toBeNull();
    await expectNothingSecret(running.output(), stack, folder);

    const again = await startStackProcess(folder);
    expect(again.stack.shopUrl).toBe(stack.shopUrl);
    const later = shopperOf(again.stack);
    expect(await later.order(merchantOrderId)).toMatchObject({ display: 'refunded' });
    expect(await later.calls('fulfill', merchantOrderId)).toHaveLength(1);
    expect((await again.end('SIGTERM')).code).toBe(0);

    const anew = await startStackProcess(folder, {}, ['--reset']);
    await expect(shopperOf(anew.stack).order(merchantOrderId)).rejects.toThrow('HTTP 404');
    expect((await anew.end('SIGINT')).code).toBe(0);
  });

  test('delivers by its schedule when every wake-up is lost', async () => {
    const { stack } = await startStackProcess(await temporaryFolder(), { CLAIM_EVERY_MS: '500' });
    const sqs = sqsClient({ sqsUrl: stack.awsEndpointUrl, secretsManagerUrl: '', region: stack.region });
    onTestFinished(() => sqs.destroy());
    await sqs.send(new DeleteQueueCommand({ QueueUrl: stack.wakeUpQueueUrl }));
    const shopper = shopperOf(stack);
    const { merchantOrderId, sessionId } = await shopper.buy();
    await shopper.pay(sessionId);
    await shopper.orderWith(merchantOrderId, DELIVERED);
  });

  test('killed right after the payment, with its webhooks under way, it ends paid and delivered once', async () => {
    const folder = await temporaryFolder();
    const running = await startStackProcess(folder);
    const shopper = shopperOf(running.stack);
    const { merchantOrderId, sessionId } = await shopper.buy();
    await shopper.pay(sessionId);
    await running.end('SIGKILL');

    const later = shopperOf((await startStackProcess(folder)).stack);
    await later.orderWith(merchantOrderId, DELIVERED);
    const keys = (await later.calls('fulfill', merchantOrderId)).map(({ idempotencyKey }) => idempotencyKey);
    expect(new Set(keys)).toEqual(new Set([merchantOrderId]));
  });

  test('killed in the middle of the delivery, it delivers the same work at the next start', async () => {
    const folder = await temporaryFolder();
    const running = await startStackProcess(folder);
    const shopper = shopperOf(running.stack);
    await shopper.trouble({ task: 'fulfill', delayMs: 600_000 });
    const { merchantOrderId, sessionId } = await shopper.buy();
    await shopper.pay(sessionId);
    await eventually('the hanging delivery', async () => (await shopper.calls('fulfill', merchantOrderId)).length > 0);
    await running.end('SIGKILL');

    // The lease of the killed worker would hold the task for five minutes.
    const { stack } = await startStackProcess(folder);
    const later = shopperOf(stack);
    await later.orderWith(merchantOrderId, DELIVERED);
    const calls = await later.calls('fulfill', merchantOrderId);
    expect(calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual([merchantOrderId, merchantOrderId]);
    const desk = await (await fetch(`${stack.shopUrl}/merchant`)).text();
    expect(desk.split(merchantOrderId)).toHaveLength(2);
  });

  test('works with a PostgreSQL and an AWS endpoint from elsewhere, and keeps both over a restart', async () => {
    const postgres = await startPostgres({ folder: join(await temporaryFolder(), 'postgres'), port: await freePort() });
    onTestFinished(() => postgres.stop());
    const sqs = await startSqs({ port: 0, region: 'us-east-1' });
    onTestFinished(() => sqs.close());
    const secrets = await startSecretsManager({ port: 0 });
    onTestFinished(() => secrets.close());
    const aws = await startAwsEndpoint(sqs.url, secrets.url);
    onTestFinished(() => aws.close());
    const env = { DATABASE_URL: postgres.url('postgres'), AWS_ENDPOINT_URL: aws.url };

    const folder = await temporaryFolder();
    for (const _ of ['first', 'second']) {
      const { stack, end } = await startStackProcess(folder, env);
      expect(stack).toMatchObject({ databaseUrl: env.DATABASE_URL, awsEndpointUrl: aws.url });
      const shopper = shopperOf(stack);
      const { merchantOrderId, sessionId } = await shopper.buy();
      await shopper.pay(sessionId);
      await shopper.orderWith(merchantOrderId, DELIVERED);
      expect((await end('SIGINT')).code).toBe(0);
    }
  });

  test.each<[string, Record<string, string>, RegExp]>([
    [
      'no such database',
      { DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/db' },
      /DATABASE_URL cannot be used: .*ECONNREFUSED/,
    ],
    ['no such endpoint', { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }, /AWS_ENDPOINT_URL cannot be used.*ECONNREFUSED/],
    ['half of a Clink account', { CLINK_SECRET_KEY: 'sk_hidden' }, /CLINK_SECRET_KEY needs PUBLIC_URL/],
    ['a strange lease', { LEASE_MS: '5 minutes' }, /LEASE_MS must be a whole number/],
    ['a strange schedule', { CLAIM_EVERY_MS: 'often' }, /CLAIM_EVERY_MS must be a whole number/],
  ])('says in one line what is wrong: %s', async (_, env, sentence) => {
    const folder = await temporaryFolder();
    const { code, stderr, stdout } = await failToStart(folder, env);
    expect([code, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1]);
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toContain('hidden');
    expect(await readStackFile(folder)).toBeNull();
  });
});

describe('npm run send-event', { timeout: 120_000 }, () => {
  test('plays the fixtures and sends what it is told to', async () => {
    const folder = await temporaryFolder();
    const { stack, output } = await startStackProcess(folder);
    const fixtures = await sendEvent(folder, '--fixtures');
    expect(fixtures).toMatchObject({ code: 0, stderr: '' });
    expect(fixtures.stdout.match(/^ok /gm)).toHaveLength(13);
    expect(fixtures.stdout).not.toContain('WRONG');

    const shopper = shopperOf(stack);
    const { merchantOrderId } = await shopper.buy('toraja-coffee');
    const about = ['--order', merchantOrderId];
    const ofAttempt = [...about, '--clink-order', 'order_x'];
    await sendEvent(folder, '--type', 'order.created', ...ofAttempt, '--created', '1');
    const sent = await sendEvent(folder, '--type', 'order.next_action', ...ofAttempt, '--created', '2');
    expect(sent).toMatchObject({ code: 0, stdout: '200 ok\n' });
    await shopper.orderWith(merchantOrderId, { display: 'action_required' });
    await sendEvent(folder, '--type', 'order.succeeded', ...about, '--clink-order', 'order_x', '--repeat', '2');
    await shopper.orderWith(merchantOrderId, DELIVERED);
    await sendEvent(folder, '--type', 'refund.succeeded', ...about, '--amount', '45000', '--refund', 'rfd_x');
    await shopper.orderWith(merchantOrderId, { refundedAmount: '45000' });

    for (const [flag, status] of [
      ['--bad-signature', 401],
      ['--stale', 401],
    ] as const) {
      const refused = await sendEvent(folder, '--type', 'order.created', ...about, flag);
      expect(refused).toMatchObject({ code: 1, stdout: `${status} invalid signature\n` });
    }
    expect(await sendEvent(folder, '--raw', '{}')).toMatchObject({ code: 1, stdout: '400 unreadable\n' });
    const nowhere = await sendEvent(folder, '--type', 'a', '--url', 'http://127.0.0.1:1/', '--key', 'whsec_k');
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('nothing answers at')]);
    await expectNothingSecret(output(), stack, folder);
  });

  test('says in one line what it cannot do', async () => {
    const folder = await temporaryFolder();
    for (const [args, sentence] of [
      [['--typ', 'x'], "Unknown option '--typ'"],
      [[], '--type is missing'],
      [['--type', 'order.created'], 'no stack is running here'],
      [
        ['--type', 'order.succeeded', '--amount', 'ten', '--url', 'http://127.0.0.1:1/', '--key', 'k'],
        '--amount must be',
      ],
    ] as const) {
      const { code, stderr } = await sendEvent(folder, ...args);
      expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
      expect(stderr).toContain(sentence);
    }
  });
});

/** No address, key, token, signature or body in what was printed. */
async function expectNothingSecret(output: string, stack: Stack, folder: string): Promise<void> {
  const now = await readStackFile(folder);
  const keys = await readFile(join(folder, 'keys.json'), 'utf8');
  const texts = [keys, JSON.stringify(stack), JSON.stringify(now)].flatMap((text) => text.match(/"[^"]{16,}"/g) ?? []);
  const secrets = texts.map((text) => text.slice(1, -1)).filter((text) => !text.startsWith('http:'));
  expect(secrets.length).toBeGreaterThan(8);
  for (const secret of secrets) expect(output).not.toContain(secret);
  expect(output).not.toMatch(/@|whsec_|\bsk_|eyJ|Bearer|[0-9a-f]{64}|merchantReferenceId|amountTotal|\/pay\//i);
}
