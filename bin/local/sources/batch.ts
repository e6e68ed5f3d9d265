import type { Message } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';

/** The event that Lambda gets for a batch of messages. */
export function sqsEvent(queueUrl: string, batch: readonly Message[]): SQSEvent {
  return { Records: batch.map((message) => record(queueUrl, message)) };
}

function record(queueUrl: string, message: Message): SQSRecord {
  const { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '', Attributes = {} } = message;
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: {
      ApproximateReceiveCount: Attributes.ApproximateReceiveCount ?? '1',
      SentTimestamp: Attributes.SentTimestamp ?? '',
      SenderId: Attributes.SenderId ?? '',
      ApproximateFirstReceiveTimestamp: Attributes.ApproximateFirstReceiveTimestamp ?? '',
    },
    messageAttributes: {},
    md5OfBody: MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:local:000000000000:${queueUrl.split('/').at(-1)}`,
    awsRegion: 'local',
  };
}

/** The messages that a partial-failure answer gives back. One that names a message nobody sent fails the whole batch. */
export function failedIds(answer: unknown, batch: readonly Message[]): ReadonlySet<string> {
  const { batchItemFailures } = Object(answer) as { batchItemFailures?: unknown };
  if (!Array.isArray(batchItemFailures)) return new Set();
  const all = new Set(batch.map(({ MessageId }) => MessageId ?? ''));
  const failed = batchItemFailures.map((item) => String(Object(item).itemIdentifier ?? ''));
  return failed.every((id) => all.has(id)) ? new Set(failed) : all;
}
