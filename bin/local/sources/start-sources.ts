import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Queues } from '../aws/queues.ts';
import { WORKERS_PER_TASK } from '../function-environment.ts';
import { type Lambdas, workerName } from './lambdas.ts';
import { type Mapping, startPoller } from './poller.ts';
import { startSchedule } from './schedule.ts';

const CLAIM = 'claim-due';
/** The least that AWS lets a mapping have. */
const CLAIMERS = 2;

export interface Sources {
  readonly sqs: SQSClient;
  readonly queues: Queues;
  readonly lambdas: Lambdas;
  readonly claimEveryMs: number;
}

/** What starts functions by itself: a mapping for each queue, and the schedule. */
export function startSources({ sqs, queues, lambdas, claimEveryMs }: Sources, teardown: AsyncDisposableStack): void {
  const invoke = (name: string) => (event: object) => lambdas.invoke(name, event);
  const wakeUps: Mapping = { queueUrl: queues.wakeUp, batchSize: 10, concurrency: CLAIMERS, invoke: invoke(CLAIM) };
  const tasks = [...queues.tasks].map(
    ([task, queueUrl]): Mapping => ({
      queueUrl,
      batchSize: 1,
      concurrency: WORKERS_PER_TASK,
      invoke: invoke(workerName(task)),
    }),
  );
  const pollers = [wakeUps, ...tasks].map((mapping) => startPoller(sqs, mapping));
  teardown.defer(async () => void (await Promise.all(pollers.map((poller) => poller.stop()))));
  const schedule = startSchedule(claimEveryMs, () => lambdas.invoke(CLAIM, { source: 'aws.events' }));
  teardown.defer(() => schedule.stop());
}
