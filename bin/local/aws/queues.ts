import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { TaskName } from '../../../functions/decisions/decision.ts';
import { TASK_NAMES } from '../../../functions/outbox/tasks.ts';

export interface Queues {
  readonly wakeUp: string;
  readonly tasks: ReadonlyMap<TaskName, string>;
}

/** Redelivery is rare, for a worker writes its failures on the row; this only has to exceed a worker's time. */
const VISIBILITY_SECONDS = 90;
const MAX_RECEIVES = 5;

/** Makes the wake-up queue and one queue for each task, each with its dead-letter queue. Finds those that exist. */
export async function makeQueues(sqs: SQSClient): Promise<Queues> {
  const wakeUp = await makeQueue(sqs, 'clink-merchant-wake-up');
  const tasks = await Promise.all(
    TASK_NAMES.map(
      async (task) => [task, await makeQueue(sqs, `clink-merchant-${task.replaceAll('_', '-')}`)] as const,
    ),
  );
  return { wakeUp, tasks: new Map(tasks) };
}

async function makeQueue(sqs: SQSClient, name: string): Promise<string> {
  const deadLetters = await createQueue(sqs, `${name}-dead`, {});
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetters, AttributeNames: ['QueueArn'] }),
  );
  return createQueue(sqs, name, {
    VisibilityTimeout: String(VISIBILITY_SECONDS),
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: Attributes?.QueueArn,
      maxReceiveCount: MAX_RECEIVES,
    }),
  });
}

async function createQueue(sqs: SQSClient, name: string, attributes: Record<string, string>): Promise<string> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  if (QueueUrl === undefined) throw new Error(`SQS made the queue ${name} without telling its address`);
  return QueueUrl;
}
