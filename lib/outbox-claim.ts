import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { queueVariable } from '../functions/outbox/tasks.ts';
import type { DatabaseAccess } from './database-access.ts';
import { PaymentsFunction } from './payments-function.ts';
import type { TaskWorker } from './task-worker.ts';
import type { WorkQueue } from './work-queue.ts';

export interface OutboxClaimProps {
  readonly workers: readonly TaskWorker[];
  readonly wakeUps: WorkQueue;
  readonly timeout: Duration;
  readonly maxInFlight: number;
  readonly retentionDays: number;
  readonly database: DatabaseAccess;
}

/** Starts the claimer every minute, and earlier when something was queued. */
export class OutboxClaim extends Construct {
  readonly claimer: PaymentsFunction;
  readonly schedule: Rule;

  constructor(scope: Construct, id: string, props: OutboxClaimProps) {
    super(scope, id);
    const { workers, wakeUps, timeout, maxInFlight, retentionDays, database } = props;
    const queues = workers.map(({ task, work }) => [queueVariable(task), work.queue.queueUrl] as const);
    this.claimer = new PaymentsFunction(this, 'Claimer', {
      entry: 'outbox/claim-due',
      description: 'Leases due rows of the outbox and sends each to its worker; prunes what is finished and old',
      timeout,
      database,
      environment: {
        MAX_IN_FLIGHT: String(maxInFlight),
        RETENTION_DAYS: String(retentionDays),
        ...Object.fromEntries(queues),
      },
    });
    for (const { work } of workers) work.queue.grant(this.claimer, 'sqs:SendMessage');
    // The next minute brings the next try. EventBridge only hands over: Lambda itself would run a failed tick twice more, and
    // keep a refused one for six hours.
    this.claimer.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    this.schedule = new Rule(this, 'EveryMinute', {
      description: 'No task waits longer for the claimer than this, whatever becomes of wake-up messages',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaFunction(this.claimer, { retryAttempts: 0 })],
    });
    // Many wake-ups are one reason to look.
    wakeUps.feed(this.claimer, { batchSize: 10, maxConcurrency: 2 });
  }
}
