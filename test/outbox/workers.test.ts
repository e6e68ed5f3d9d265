import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { NewTask, TaskName } from '../../functions/decisions/decision.ts';
import type { WorkerContext } from '../../functions/outbox/task-worker.ts';
import { queueVariable, TASK_NAMES } from '../../functions/outbox/tasks.ts';
import { insertCase, insertPaidOrder, orderRow } from './orders.ts';
import { type Stage, setStage } from './stage.ts';

interface Outside {
  readonly server: Server;
  readonly url: string;
  /** Method and path of every call but those for secrets. */
  readonly calls: string[];
}

/** Secrets Manager, the merchant's endpoint, and a Clink that knows nothing, on one address. */
async function startOutside(): Promise<Outside> {
  const calls: string[] = [];
  const secret = `whsec_${Buffer.from('a secret for this test only').toString('base64')}`;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.headers['x-amz-target']) return response.end(JSON.stringify({ SecretString: secret }));
      calls.push(`${request.method} ${request.url}`);
      response.statusCode = request.url?.startsWith('/clink') ? 404 : 204;
      return response.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

let stage: Stage;
let outside: Outside;
beforeAll(async () => {
  [stage, outside] = await Promise.all([setStage(), startOutside()]);
  const environment = {
    DATABASE_URL: stage.db.appUrl,
    DATABASE_MAX_CONNECTIONS: '2',
    WAKE_UP_QUEUE_URL: stage.queues.wakeUpUrl,
    MERCHANT_URL: `${outside.url}/merchant`,
    MERCHANT_SIGNING_SECRET_ID: 'merchant',
    CLINK_API_URL: `${outside.url}/clink`,
    CLINK_API_KEY_SECRET_ID: 'clink',
    AWS_ENDPOINT_URL_SQS: stage.queues.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: outside.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    ...Object.fromEntries(TASK_NAMES.map((task) => [queueVariable(task), stage.queues.urlOf(task)])),
  };
  for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value);
  await insertPaidOrder(stage.db.owner, 'order_1');
  await insertCase(stage.db.owner, 'case_1', 'order_1');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  outside.server.closeAllConnections();
  outside.server.close();
  await stage.close();
});

interface WorkerModule {
  readonly handler: (event: SQSEvent, context: WorkerContext) => Promise<SQSBatchResponse>;
}

const context = { awsRequestId: 'run-1', getRemainingTimeInMillis: () => 30_000 };
const refund = { refundId: 'rfd_1', orderStatus: 'partial_refunded', refundedAmount: '10', paymentCurrency: 'USD' };
const ofOrder = { merchantOrderId: 'order_1', clinkOrderId: 'clink_order_1' };

it.each<[TaskName, Partial<NewTask>, string[], string]>([
  ['fulfill', ofOrder, ['POST /merchant/fulfillment'], 'succeeded'],
  ['apply_refund_policy', { ...ofOrder, payload: refund }, ['POST /merchant/refund-policy'], 'succeeded'],
  [
    'manual_reconciliation',
    { ...ofOrder, payload: { caseKey: 'case_1' } },
    ['POST /merchant/cases', 'POST /merchant/alerts'],
    'succeeded',
  ],
  ['page_outbox_failure', { payload: { failedTaskId: 1 } }, ['POST /merchant/alerts'], 'succeeded'],
  ['reprocess_webhook', {}, [], 'succeeded'],
  ['reconcile_attempt', ofOrder, ['GET /clink/order/clink_order_1'], 'pending'],
  ['reconcile_session', ofOrder, ['GET /clink/checkout/session/sess_order_1'], 'pending'],
  ['refund_reconcile', { ...ofOrder, payload: refund }, ['GET /clink/order/clink_order_1'], 'pending'],
])('the deployed worker of %s does its task, from the claimer’s message on', async (task, fields, calls, status) => {
  const claimer = await import('../../functions/outbox/claim-due.lambda.ts');
  const worker: WorkerModule = await import(`../../functions/workers/${task.replaceAll('_', '-')}.lambda.ts`);
  const id = await stage.queue(task, fields);
  outside.calls.length = 0;

  await claimer.handler({}, { getRemainingTimeInMillis: () => 0 });
  await stage.queues.deliverOne(stage.queues.urlOf(task), (event) => worker.handler(event, context));
  expect(outside.calls).toEqual(calls);
  expect(await stage.row(id)).toMatchObject({ status });
  expect(await orderRow(stage.db.owner, 'order_1')).toMatchObject({ fulfillmentStatus: 'fulfilled' });
});
