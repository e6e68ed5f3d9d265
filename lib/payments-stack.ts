import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { TaskName } from '../functions/decisions/decision.ts';
import { TASK_NAMES } from '../functions/outbox/tasks.ts';
import { Alarms } from './alarms.ts';
import { Capabilities } from './capabilities.ts';
import { ClinkSecrets } from './clink-secrets.ts';
import type { Configuration } from './configuration.ts';
import type { DataStack } from './data-stack.ts';
import type { DatabaseAccess } from './database-access.ts';
import { chooseDatabase } from './database-choice.ts';
import { OutboxClaim } from './outbox-claim.ts';
import { PaymentsApi } from './payments-api.ts';
import { PaymentsDashboard } from './payments-dashboard.ts';
import { PaymentsFunction } from './payments-function.ts';
import { SchemaMigration } from './schema-migration.ts';
import { TaskWorker } from './task-worker.ts';
import { WorkQueue } from './work-queue.ts';

/** Less than the minute from one tick of the schedule to the next. */
const CLAIM_TIMEOUT = Duration.seconds(50);
/** Two calls of ten seconds and what the database may take before and after them, with time left to record a failure. */
const WORKER_TIMEOUT = Duration.minutes(1);

/** What each worker is for, and whom it calls. */
const WORKERS: Readonly<Record<TaskName, { description: string; calls?: 'clinkApi' | 'merchantEndpoint' }>> = {
  fulfill: { description: 'Has a paid order delivered by the merchant', calls: 'merchantEndpoint' },
  apply_refund_policy: {
    description: 'Tells the merchant how much of an order was given back',
    calls: 'merchantEndpoint',
  },
  manual_reconciliation: { description: 'Brings a conflict before a person', calls: 'merchantEndpoint' },
  page_outbox_failure: { description: 'Pages about a task that failed for good', calls: 'merchantEndpoint' },
  reprocess_webhook: { description: 'Decides a deferred event again' },
  reconcile_attempt: { description: 'Asks Clink for the status of an attempt', calls: 'clinkApi' },
  reconcile_session: { description: 'Asks Clink which attempt of a session is the current one', calls: 'clinkApi' },
  refund_reconcile: { description: 'Asks Clink until an order shows its refunds', calls: 'clinkApi' },
};

export interface PaymentsStackProps {
  readonly configuration: Configuration;
  /** Our own Aurora; null when the merchant brings a database. */
  readonly data: DataStack | null;
}

/** The application: everything that can be deployed, rolled back and deleted without touching the bookkeeping. */
export class PaymentsStack extends Stack {
  constructor(scope: Construct, id: string, { configuration, data }: PaymentsStackProps, props: StackProps) {
    super(scope, id, props);
    const database = chooseDatabase(this, configuration, data);
    const wakeUps = new WorkQueue(this, 'WakeUps', { consumerTimeout: CLAIM_TIMEOUT });
    const secrets = new ClinkSecrets(this, 'Secrets');
    const capabilities = new Capabilities(configuration, secrets, wakeUps.queue);

    const routes = this.routes(database.application, capabilities);
    const workers = TASK_NAMES.map((task) =>
      this.taskWorker(task, database.application, capabilities, configuration.workersPerTask),
    );
    const claim = new OutboxClaim(this, 'OutboxClaim', {
      workers,
      wakeUps,
      timeout: CLAIM_TIMEOUT,
      maxInFlight: configuration.workersPerTask,
      retentionDays: configuration.retentionDays,
      database: database.application,
    });
    const { api } = new PaymentsApi(this, 'PaymentsApi', { ...routes, configuration });

    const functions = [...Object.values(routes), claim.claimer, ...workers.map(({ worker }) => worker)];
    const operator = new PaymentsFunction(this, 'Operator', {
      entry: 'operations/operate',
      description: 'Answers an operator; invoked by hand, and by nothing else',
      timeout: Duration.seconds(30),
      database: database.application,
    });
    new SchemaMigration(this, 'SchemaMigration', {
      database: database.migrator,
      executeBefore: [...functions, operator],
    });
    const alarms = new Alarms(this, 'Alarms', {
      email: configuration.alarmEmail,
      functions,
      workers,
      wakeUps,
      api,
      webhooks: { clinkWebhook: routes.clinkWebhook, silentHours: configuration.webhooksSilentHours },
      cluster: data?.cluster ?? null,
      capacity: configuration,
    });
    new PaymentsDashboard(this, 'PaymentsDashboard', alarms);
    this.print({
      ApiUrl: api.apiEndpoint,
      WebhookUrl: `${api.apiEndpoint}/api/webhooks/clink`,
      ClinkApiKeySecret: secrets.apiKey,
      ClinkWebhookSecret: secrets.webhookSigning,
      MerchantSecret: secrets.merchantSigning,
      OperatorFunction: operator.functionName,
    });
  }

  /** What a person needs next: where to send requests and webhooks, and which secrets to fill. */
  private print(outputs: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }

  private routes(database: DatabaseAccess, capabilities: Capabilities) {
    const createCheckout = new PaymentsFunction(this, 'CreateCheckout', {
      entry: 'http/create-checkout',
      description: 'POST /api/checkout/create',
      // Two calls to Clink at most, and still inside the 30 seconds that API Gateway waits.
      timeout: Duration.seconds(28),
      database,
    });
    capabilities.clinkApi(createCheckout);
    capabilities.shopPages(createCheckout);
    capabilities.wakeUps(createCheckout);

    const getOrder = new PaymentsFunction(this, 'GetOrder', {
      entry: 'http/get-order',
      description: 'GET /api/orders/{id}',
      // A connection that is slow to open, and one statement.
      timeout: Duration.seconds(15),
      database,
    });

    const clinkWebhook = new PaymentsFunction(this, 'ClinkWebhook', {
      entry: 'http/clink-webhook',
      description: 'POST /api/webhooks/clink',
      // The signing secret, a connection and a wait for the order's row, each slow; Clink sends again what takes longer.
      timeout: Duration.seconds(20),
      database,
    });
    capabilities.clinkWebhooks(clinkWebhook);
    capabilities.wakeUps(clinkWebhook);
    return { createCheckout, getOrder, clinkWebhook };
  }

  private taskWorker(task: TaskName, database: DatabaseAccess, capabilities: Capabilities, maxConcurrency: number) {
    const { description, calls } = WORKERS[task];
    const worker = new TaskWorker(this, pascalCase(task), {
      task,
      description,
      timeout: WORKER_TIMEOUT,
      maxConcurrency,
      database,
    });
    capabilities.wakeUps(worker.worker);
    if (calls) capabilities[calls](worker.worker);
    return worker;
  }
}

function pascalCase(task: TaskName): string {
  return task.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
