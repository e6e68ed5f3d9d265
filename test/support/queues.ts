import { randomBytes } from 'node:crypto';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { TaskName } from '../../functions/decisions/decision.ts';
import { TASK_NAMES } from '../../functions/outbox/tasks.ts';
import { type QueueSender, queueSender } from '../../functions/platform/queues.ts';
import { startQueueService } from './queue-service.ts';

export interface TestQueues {
  /** What `AWS_ENDPOINT_URL` would be. */
  readonly endpoint: string;
  readonly sender: QueueSender;
  readonly wakeUpUrl: string;
  urlOf(task: TaskName): string;
  /** Bodies of the messages that wait in a queue, delayed ones included. */
  waiting(queueUrl: string): Promise<string[]>;
  /** Receives one message and hands it over as Lambda would; it stays in the queue when the handler reports it back. */
  deliverOne(queueUrl: string, handler: (event: SQSEvent) => Promise<SQSBatchResponse>): Promise<SQSBatchResponse>;
  /** Forgets all messages. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

/** The wake-up queue and one queue for each task, the caller's own, spoken to over the protocol of SQS. */
export async function startQueues(): Promise<TestQueues> {
  const service = await startQueueService();
  const client = new SQSClient({
    endpoint: service.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    useQueueUrlAsEndpoint: false,
  });
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const create = async (name: string): Promise<string> => {
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: `${prefix}-${name}` }));
    return QueueUrl ?? '';
  };
  const wakeUpUrl = await create('wake-up');
  const urls = new Map(await Promise.all(TASK_NAMES.map(async (task) => [task, await create(task)] as const)));
  const all = [wakeUpUrl, ...urls.values()];

  async function receiveOne(queueUrl: string) {
    const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl: queueUrl, WaitTimeSeconds: 5 }));
    const message = Messages?.[0];
    if (!message) throw new Error(`nothing was sent to ${nameOf(queueUrl)}`);
    return { body: message.Body ?? '', messageId: message.MessageId ?? '', receiptHandle: message.ReceiptHandle ?? '' };
  }

  return {
    endpoint: service.endpoint,
    sender: queueSender(client),
    wakeUpUrl,
    urlOf(task) {
      const url = urls.get(task);
      if (url === undefined) throw new Error(`no queue for ${task}`);
      return url;
    },
    waiting: service.waiting,
    async deliverOne(queueUrl, handler) {
      const { receiptHandle, ...message } = await receiveOne(queueUrl);
      const response = await handler(eventOf({ ...message, receiptHandle, eventSourceARN: queueUrl }));
      if (response.batchItemFailures.length === 0) {
        await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: receiptHandle }));
      }
      return response;
    },
    async clear() {
      await Promise.all(all.map((QueueUrl) => client.send(new PurgeQueueCommand({ QueueUrl }))));
    },
    async stop() {
      await Promise.all(all.map((QueueUrl) => client.send(new DeleteQueueCommand({ QueueUrl }))));
      client.destroy();
      await service.stop();
    },
  };
}

/** A batch of one, as an event source mapping hands it to a function. */
export function eventOf(message: {
  body: string;
  messageId?: string;
  receiptHandle?: string;
  eventSourceARN?: string;
}): SQSEvent {
  const attributes = {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: 'test',
    ApproximateFirstReceiveTimestamp: '0',
  };
  const defaults = { messageId: 'message-1', receiptHandle: 'receipt-1', eventSourceARN: 'arn' };
  const fixed = { attributes, messageAttributes: {}, md5OfBody: '', eventSource: 'aws:sqs', awsRegion: 'us-east-1' };
  return { Records: [{ ...defaults, ...fixed, ...message }] };
}

function nameOf(queueUrl: string): string {
  return queueUrl.split('/').at(-1) ?? queueUrl;
}
