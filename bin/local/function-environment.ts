import { queueVariable } from '../../functions/outbox/tasks.ts';
import type { Queues } from './aws/queues.ts';
import { SECRET_IDS } from './aws/vault.ts';

export interface Surroundings {
  readonly databaseUrl: string;
  readonly clinkApiUrl: string;
  readonly shopUrl: string;
  readonly queues: Queues;
}

/** Invocations of one task at a time, which is also how many of its rows a claimer puts in flight. */
export const WORKERS_PER_TASK = 10;

/** What the functions read on AWS from their configuration. The trial settings (LEASE_MS and so on) pass through as given. */
export function functionEnvironment({
  databaseUrl,
  clinkApiUrl,
  shopUrl,
  queues,
}: Surroundings): Record<string, string> {
  const taskQueues = [...queues.tasks].map(([task, queueUrl]) => [queueVariable(task), queueUrl]);
  return {
    DATABASE_URL: databaseUrl,
    // All invocations of a function share its pool here; on AWS each has an instance, and a connection, of its own.
    DATABASE_MAX_CONNECTIONS: '10',
    CLINK_API_URL: clinkApiUrl,
    CLINK_API_KEY_SECRET_ID: SECRET_IDS.clinkApiKey,
    CLINK_WEBHOOK_SECRET_ID: SECRET_IDS.clinkWebhook,
    MERCHANT_SIGNING_SECRET_ID: SECRET_IDS.merchantSigning,
    MERCHANT_URL: `${shopUrl}/merchant`,
    SHOP_SUCCESS_URL: `${shopUrl}/return`,
    SHOP_CANCEL_URL: `${shopUrl}/cancel`,
    WAKE_UP_QUEUE_URL: queues.wakeUp,
    ...Object.fromEntries(taskQueues),
    MAX_IN_FLIGHT: String(WORKERS_PER_TASK),
    // Metrics are log lines for CloudWatch, which is not here.
    METRICS_DISABLED: process.env.METRICS_DISABLED ?? 'true',
  };
}
