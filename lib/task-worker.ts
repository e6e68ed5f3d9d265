import type { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { TaskName } from '../functions/decisions/decision.ts';
import type { DatabaseAccess } from './database-access.ts';
import { PaymentsFunction } from './payments-function.ts';
import { WorkQueue } from './work-queue.ts';

export interface TaskWorkerProps {
  readonly task: TaskName;
  readonly description: string;
  readonly timeout: Duration;
  readonly maxConcurrency: number;
  readonly database: DatabaseAccess;
}

/** One task of the outbox: its queue, its dead letters and the function that does it, one row at a time. */
export class TaskWorker extends Construct {
  readonly task: TaskName;
  readonly work: WorkQueue;
  readonly worker: PaymentsFunction;

  constructor(scope: Construct, id: string, props: TaskWorkerProps) {
    super(scope, id);
    const { task, description, timeout, maxConcurrency, database } = props;
    this.task = task;
    this.work = new WorkQueue(this, 'Work', { consumerTimeout: timeout });
    const entry = `workers/${task.replaceAll('_', '-')}`;
    this.worker = new PaymentsFunction(this, 'Worker', { entry, description, timeout, database });
    this.work.feed(this.worker, { batchSize: 1, maxConcurrency, reportBatchItemFailures: true });
  }
}
