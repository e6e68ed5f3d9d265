import { Duration, Names } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { EventSourceMappingOptions, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** A queue with its dead-letter queue: encrypted, over TLS only, and patient enough for a consumer's retries. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { consumerTimeout }: { consumerTimeout: Duration }) {
    super(scope, id);
    const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
    this.deadLetters = new Queue(this, 'DeadLetters', { ...common, retentionPeriod: Duration.days(14) });
    this.queue = new Queue(this, 'Queue', {
      ...common,
      retentionPeriod: Duration.days(4),
      // Six times the consumer's timeout, as Lambda asks for, so that a throttled try is not a second delivery.
      visibilityTimeout: Duration.seconds(consumerTimeout.toSeconds() * 6),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 5 },
    });
  }
  /** Has Lambda hand the messages to a function. The CDK's own event source would allow more than Lambda needs for that. */
  feed(
    consumer: LambdaFunction,
    options: Pick<EventSourceMappingOptions, 'batchSize' | 'maxConcurrency' | 'reportBatchItemFailures'>,
  ): void {
    const { node, queueArn } = this.queue;
    // A queue feeds a function once: under another id, CloudFormation would make the new source before it ends the old.
    const id = `SqsEventSource:${Names.nodeUniqueId(node)}`;
    consumer.addEventSourceMapping(id, { ...options, eventSourceArn: queueArn });
    consumer.addToRolePolicy(
      new PolicyStatement({
        actions: ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
        resources: [queueArn],
      }),
    );
  }
}
