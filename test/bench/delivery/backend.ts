import { randomUUID } from 'node:crypto';
import { sqsClient } from '../../../bin/local/aws/clients.ts';
import { makeQueues } from '../../../bin/local/aws/queues.ts';
import { WORKERS_PER_TASK } from '../../../bin/local/function-environment.ts';
import { lambdaContext } from '../../../bin/local/sources/lambda-context.ts';
import { startPoller } from '../../../bin/local/sources/poller.ts';
import { startSchedule } from '../../../bin/local/sources/schedule.ts';
import { connect, type Sql } from '../../../functions/database/connection.ts';
import type { TaskName } from '../../../functions/decisions/decision.ts';
import { fulfillOrder } from '../../../functions/flows/fulfill-order.ts';
import { receiveEvent } from '../../../functions/flows/receive-event.ts';
import { type ClaimDueDeps, claimDue } from '../../../functions/outbox/claim-due.ts';
import { taskWorker } from '../../../functions/outbox/task-worker.ts';
import { systemTimers } from '../../../functions/outbox/timers.ts';
import { queueSender, wakeUpSender } from '../../../functions/platform/queues.ts';
import type { BenchDatabase } from '../part.ts';
import { type Deliver, handlerOf } from './deliveries.ts';
import { startSqsThread } from './sqs-thread.ts';

/** From the webhook's handler to the merchant's delivery, over SQS, with pollers in place of event source mappings. */
export interface DeliveringBackend {
  readonly owner: Sql;
  readonly deliver: Deliver;
  /** What one claim invocation has, for as many rows of a task in flight as given. */
  claimDeps(maxInFlight: number): ClaimDueDeps;
  /** Starts what looks at the queues, and the schedule. Tells when a fulfilment begins. */
  startSources(onFulfillment: (merchantOrderId: string) => void): { stop(): Promise<void> };
  close(): Promise<void>;
}

const REGION = 'us-east-1';
/** Instances of the webhook function that a burst has started; each has one connection. */
const WEBHOOK_CONNECTIONS = 32;
/** The least that an event source mapping can have. */
const CLAIMERS = 2;
const OUTBOX = { leaseMs: 300_000, maxAttempt: 12, newToken: randomUUID };

export async function startDeliveringBackend(database: BenchDatabase): Promise<DeliveringBackend> {
  const sqs = await startSqsThread(REGION);
  const aws = { sqsUrl: sqs.url, secretsManagerUrl: sqs.url, region: REGION };
  const client = sqsClient(aws);
  const queues = await makeQueues(client);
  const queueUrlOf = (task: TaskName): string => queues.tasks.get(task) ?? '';
  const sender = queueSender(client);
  const wakeUp = wakeUpSender(queues.wakeUp, sender);

  const owner = connect({ url: database.ownerUrl, max: 1 });
  const [webhooks, claimers, workers] = [WEBHOOK_CONNECTIONS, CLAIMERS, WORKERS_PER_TASK].map((max) =>
    connect({ url: database.appUrl, max }),
  ) as [Sql, Sql, Sql];
  const claimDeps = (maxInFlight: number): ClaimDueDeps => ({
    ...OUTBOX,
    sql: claimers,
    maxInFlight: () => maxInFlight,
    send: (queueUrl, body) => sender.send(queueUrl, body),
    queueUrlOf,
    hasTime: () => true,
  });
  const runDeps = {
    ...OUTBOX,
    sql: workers,
    wakeUp,
    timers: systemTimers,
    random: Math.random,
    backoff: { baseMs: 1_000, maxMs: 3_600_000 },
  };

  return {
    owner,
    deliver: handlerOf((event, body) => receiveEvent({ sql: webhooks, wakeUp }, event, body)),
    claimDeps,
    startSources(onFulfillment) {
      const fulfillment = {
        fulfill: async (order: { merchantOrderId: string }) => onFulfillment(order.merchantOrderId),
      };
      const worker = taskWorker(runDeps, 'fulfill', (task, lease) =>
        fulfillOrder({ sql: workers, fulfillment }, task, lease),
      );
      const claim = () => claimDue(claimDeps(WORKERS_PER_TASK));
      const work = (event: object) => worker(event as Parameters<typeof worker>[0], lambdaContext('fulfill', 60_000));
      const pollers = [
        startPoller(client, { queueUrl: queues.wakeUp, batchSize: 10, concurrency: CLAIMERS, invoke: claim }),
        startPoller(client, {
          queueUrl: queueUrlOf('fulfill'),
          batchSize: 1,
          concurrency: WORKERS_PER_TASK,
          invoke: work,
        }),
      ];
      const schedule = startSchedule(60_000, claim);
      return { stop: async () => void (await Promise.all([schedule, ...pollers].map((source) => source.stop()))) };
    },
    async close() {
      client.destroy();
      await Promise.all([owner, webhooks, claimers, workers].map((sql) => sql.end()));
      await sqs.close();
      await database.drop();
    },
  };
}
