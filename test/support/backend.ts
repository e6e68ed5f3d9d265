import { randomUUID } from 'node:crypto';
import { startClinkDouble } from '../../bin/local/clink-double/server.ts';
import { createClinkClient } from '../../functions/clink/client.ts';
import type { TaskName } from '../../functions/decisions/decision.ts';
import { applyRefundPolicy } from '../../functions/flows/apply-refund-policy.ts';
import { fulfillOrder } from '../../functions/flows/fulfill-order.ts';
import { openReconciliationCase } from '../../functions/flows/open-reconciliation-case.ts';
import { pageFailure } from '../../functions/flows/page-failure.ts';
import { receiveEvent } from '../../functions/flows/receive-event.ts';
import { reconcileAttempt } from '../../functions/flows/reconcile-attempt.ts';
import { reconcileRefund } from '../../functions/flows/reconcile-refund.ts';
import { reconcileSession } from '../../functions/flows/reconcile-session.ts';
import { reprocessEvent } from '../../functions/flows/reprocess-event.ts';
import { startCheckout } from '../../functions/flows/start-checkout.ts';
import { clinkWebhookHandler } from '../../functions/http/clink-webhook.ts';
import { createCheckoutHandler } from '../../functions/http/create-checkout.ts';
import { alertingByCall } from '../../functions/merchant/alerting.ts';
import { fulfillmentByCall } from '../../functions/merchant/fulfillment.ts';
import { deskByCall } from '../../functions/merchant/reconciliation-desk.ts';
import { refundPolicyByCall } from '../../functions/merchant/refund-policy.ts';
import { signedCall } from '../../functions/merchant/signed-call.ts';
import { claimDue } from '../../functions/outbox/claim-due.ts';
import type { Work } from '../../functions/outbox/run-task.ts';
import { taskWorker } from '../../functions/outbox/task-worker.ts';
import { systemTimers } from '../../functions/outbox/timers.ts';
import { clinkSignature, lambdaContext, payload, signedInPayload } from '../http/payload.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import { type Gate, startGate } from './gate.ts';
import { type Recorder, startRecorder } from './recorder.ts';

export const API_KEY = 'sk_test_scenarios';
const SIGNING_SECRET = 'whsec_scenarios';
const MERCHANT_SECRET = `whsec_${Buffer.from('the merchant and we know this').toString('base64')}`;

export interface Delivered {
  readonly statusCode: number;
  readonly body: string;
}

export interface Order {
  readonly id: string;
  readonly sessionId: string;
}

/**
 * The whole backend on a database of its own: real handlers, real PostgreSQL, a Clink double and a merchant endpoint over
 * HTTP. Only the queue is missing: a claimed ticket is handed straight to its worker's handler, so that a test decides
 * when each one runs.
 */
export interface Backend {
  readonly db: TestDatabase;
  readonly merchant: Recorder;
  readonly clinkUrl: string;
  /** Between the backend and the Clink double: shows the calls, and keeps an answer back on demand. */
  readonly gate: Gate;
  /** Buys a poster through the checkout route, which opens a session at the Clink double. */
  checkout(): Promise<Order>;
  deliver(event: object, headers?: Record<string, string>): Promise<Delivered>;
  /** Claims what is due and runs it, until nothing is due. Returns the tasks in the order they ran. */
  runDue(): Promise<TaskName[]>;
  /** Claims and runs every task of this name that is due now, once. */
  runOnce(task: TaskName): Promise<number>;
  /** Lets the backoff of every waiting task pass. */
  passBackoff(): Promise<void>;
  /** Sets what Clink's API answers for an order or a session from now on. */
  clinkSays(path: `/orders/${string}` | `/sessions/${string}`, fields: object): Promise<void>;
  clinkControl(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export async function startBackend({ maxAttempt = 12 } = {}): Promise<Backend> {
  const db = await createDatabase();
  const merchant = await startRecorder();
  const double = await startClinkDouble({
    port: 0,
    databaseFile: ':memory:',
    // Events are delivered by the tests themselves, one by one.
    webhookUrl: () => 'http://127.0.0.1:9/',
    apiKeys: () => [API_KEY],
    signingSecret: () => SIGNING_SECRET,
  });
  const gate = await startGate(double.url);
  const { app: sql } = db;
  await db.owner`INSERT INTO products (id, name, unit_amount, currency) VALUES ('poster', 'Poster', 1999, 'USD')`;

  const wakeUp = async (): Promise<void> => undefined;
  const clink = createClinkClient({ baseUrl: `${gate.url}/api`, apiKeys: async () => [API_KEY], timeoutMs: 5_000 });
  const call = signedCall({ merchantUrl: merchant.url, signingSecrets: async () => [MERCHANT_SECRET] });
  const alerting = alertingByCall(call);
  const flow = { sql, wakeUp, clink };

  const works: Readonly<Record<TaskName, Work>> = {
    fulfill: (task, lease) => fulfillOrder({ sql, fulfillment: fulfillmentByCall(call) }, task, lease),
    apply_refund_policy: (task, lease) =>
      applyRefundPolicy({ sql, refundPolicy: refundPolicyByCall(call) }, task, lease),
    manual_reconciliation: (task, lease) =>
      openReconciliationCase({ sql, desk: deskByCall(call), alerting }, task, lease),
    page_outbox_failure: (task, lease) => pageFailure({ alerting }, task, lease),
    reprocess_webhook: ({ eventId }, { signal }) => reprocessEvent(flow, eventId, signal),
    reconcile_attempt: ({ eventId, clinkOrderId }, { signal }) =>
      reconcileAttempt(flow, { eventId, clinkOrderId: clinkOrderId ?? '', signal }),
    reconcile_session: ({ eventId, merchantOrderId }, { signal }) =>
      reconcileSession(flow, { eventId, merchantOrderId: merchantOrderId ?? '', signal }),
    refund_reconcile: ({ eventId, merchantOrderId, clinkOrderId, payload: { refundId } }, { signal }) =>
      reconcileRefund(flow, {
        eventId,
        merchantOrderId: merchantOrderId ?? '',
        clinkOrderId: clinkOrderId ?? '',
        refundId: String(refundId),
        signal,
      }),
  };
  const webhook = clinkWebhookHandler({
    signingSecrets: { read: async () => [SIGNING_SECRET], refresh: async () => [SIGNING_SECRET] },
    receive: (event, body) => receiveEvent({ sql, wakeUp }, event, body),
    replayWindowMs: 300_000,
    now: Date.now,
  });
  const checkoutRoute = createCheckoutHandler({
    startCheckout: (command) =>
      startCheckout(
        {
          ...flow,
          shopUrls: { success: 'https://shop.example/return', cancel: 'https://shop.example/cancel' },
          now: Date.now,
          newId: () => `mo_${randomUUID()}`,
          wait: async () => undefined,
        },
        command,
      ),
  });
  const runDeps = {
    sql,
    wakeUp,
    leaseMs: 300_000,
    maxAttempt,
    newToken: randomUUID,
    timers: systemTimers,
    backoff: { baseMs: 1_000, maxMs: 3_600_000 },
    random: Math.random,
  };

  async function claim(only?: TaskName): Promise<{ task: TaskName; body: string }[]> {
    const sent: { task: TaskName; body: string }[] = [];
    await claimDue({
      ...runDeps,
      maxInFlight: (task) => (only === undefined || task === only ? 100 : 0),
      queueUrlOf: (task) => task,
      send: async (task, body) => void sent.push({ task: task as TaskName, body }),
      hasTime: () => false,
    });
    return sent;
  }

  async function run({ task, body }: { task: TaskName; body: string }): Promise<void> {
    const context = { awsRequestId: 'worker-1', getRemainingTimeInMillis: () => 60_000 };
    const record = { body, messageId: 'message-1' } as Parameters<ReturnType<typeof taskWorker>>[0]['Records'][number];
    const { batchItemFailures } = await taskWorker(runDeps, task, works[task])({ Records: [record] }, context);
    if (batchItemFailures.length > 0) throw new Error(`the ${task} worker could not write its outcome`);
  }

  return {
    db,
    merchant,
    clinkUrl: double.url,
    gate,
    async checkout() {
      const event = signedInPayload(
        { sub: 'customer_1', email: 'shopper@example.test' },
        { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ productId: 'poster', quantity: 1 }) },
      );
      const answer = await checkoutRoute(event, lambdaContext);
      if (answer.statusCode !== 200) throw new Error(`checkout answered ${answer.statusCode}: ${answer.body}`);
      const { merchantOrderId } = JSON.parse(answer.body ?? '{}') as { merchantOrderId: string };
      const [row] = await db.owner<{ clinkSessionId: string }[]>`
        SELECT clink_session_id FROM merchant_orders WHERE id = ${merchantOrderId}`;
      return { id: merchantOrderId, sessionId: row?.clinkSessionId ?? '' };
    },
    async deliver(event, headers = {}) {
      const body = JSON.stringify(event);
      const timestamp = String(Date.now());
      const answer = await webhook(
        payload({
          body,
          headers: {
            'x-clink-signtype': 'SHA256',
            'x-clink-timestamp': timestamp,
            'x-clink-signature': clinkSignature(SIGNING_SECRET, timestamp, body),
            ...headers,
          },
        }),
        lambdaContext,
      );
      return { statusCode: answer.statusCode ?? 0, body: answer.body ?? '' };
    },
    async runDue() {
      const ran: TaskName[] = [];
      for (let tickets = await claim(); tickets.length > 0; tickets = await claim()) {
        for (const ticket of tickets) {
          await run(ticket);
          ran.push(ticket.task);
        }
      }
      return ran;
    },
    async runOnce(task) {
      const tickets = await claim(task);
      for (const ticket of tickets) await run(ticket);
      return tickets.length;
    },
    async passBackoff() {
      await db.owner`UPDATE outbox SET next_retry_at = now() WHERE status = 'pending'`;
    },
    async clinkSays(path, fields) {
      await control('PUT', path, fields);
    },
    clinkControl: control,
    async close() {
      await gate.close();
      await Promise.all([double.close(), merchant.close()]);
      await db.drop();
    },
  };

  async function control(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${double.url}/control${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`control ${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>;
  }
}
