import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Cloud } from './cloud.ts';

const COUNTS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesDelayed',
  'ApproximateNumberOfMessagesNotVisible',
] as const;

/** SQS, as an operator sees it. */
export function openQueues({ environment }: Cloud) {
  const client = new SQSClient({
    endpoint: environment.AWS_ENDPOINT_URL,
    region: environment.AWS_REGION,
    useQueueUrlAsEndpoint: false,
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID,
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
    },
  });
  return {
    /** Messages of the queues with this prefix, whether visible, delayed or in flight. */
    async messagesIn(prefix: string): Promise<number> {
      const { QueueUrls = [] } = await client.send(new ListQueuesCommand({ QueueNamePrefix: prefix }));
      if (QueueUrls.length === 0) throw new Error(`no queue begins with ${prefix}`);
      const attributes = QueueUrls.map((QueueUrl) =>
        client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...COUNTS] })),
      );
      const counts = (await Promise.all(attributes)).flatMap(({ Attributes }) =>
        COUNTS.map((name) => Attributes?.[name]),
      );
      return counts.reduce((sum, count) => sum + Number(count), 0);
    },
    close: () => client.destroy(),
  };
}
