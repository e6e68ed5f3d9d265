import { Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { DatabaseCluster } from 'aws-cdk-lib/aws-rds';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { AlarmRule, AlarmRules } from './alarm-rule.ts';
import { type Capacity, databaseAlarms } from './database-alarms.ts';
import { functionAlarms } from './function-alarms.ts';
import { outboxAlarms } from './outbox-alarms.ts';
import type { TaskWorker } from './task-worker.ts';
import { type Webhooks, webhookAlarms } from './webhook-alarms.ts';
import type { WorkQueue } from './work-queue.ts';

export interface AlarmsProps {
  /** Empty for none. */
  readonly email: string;
  /** Those that run unattended. */
  readonly functions: readonly LambdaFunction[];
  readonly workers: readonly TaskWorker[];
  readonly wakeUps: WorkQueue;
  readonly api: HttpApi;
  readonly webhooks: Webhooks;
  readonly cluster: DatabaseCluster | null;
  readonly capacity: Capacity;
}

/** Everything that should wake or bother a person. Each alarm names its entry in the runbook. */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];
  readonly #topic: Topic;

  constructor(scope: Construct, id: string, { email, functions, ...props }: AlarmsProps) {
    super(scope, id);
    this.#topic = this.topic(email);
    const rules: AlarmRules = {
      ...outboxAlarms(props.workers, props.wakeUps),
      ...webhookAlarms(props.api, props.webhooks),
      ...Object.assign({}, ...functions.map((each) => functionAlarms(nameOf(each), each))),
      ...(props.cluster && databaseAlarms(props.cluster, props.capacity)),
    };
    this.all = Object.entries(rules).map(([name, rule]) => this.alarm(name, rule));
  }

  private topic(email: string): Topic {
    const cloudWatch = new ServicePrincipal('cloudwatch.amazonaws.com');
    const key = new Key(this, 'TopicKey', { description: 'Encrypts alarms on their way', enableKeyRotation: true });
    key.grant(cloudWatch, 'kms:Decrypt', 'kms:GenerateDataKey*');
    const topic = new Topic(this, 'Topic', { displayName: 'Clink payments', masterKey: key, enforceSSL: true });
    // A topic with a policy of its own has lost the one that SNS would give it, which lets alarms of the account publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AllowAlarmsOfThisAccount',
        principals: [cloudWatch],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (email !== '') topic.addSubscription(new EmailSubscription(email));
    return topic;
  }

  private alarm(id: string, { runbook, says, metric, limit, isBelow, periods, missing }: AlarmRule): Alarm {
    const { LESS_THAN_THRESHOLD, GREATER_THAN_THRESHOLD } = ComparisonOperator;
    const alarm = new Alarm(this, id, {
      alarmDescription: `${says} Runbook: docs/runbook.md#${runbook}`,
      metric,
      threshold: limit,
      comparisonOperator: isBelow ? LESS_THAN_THRESHOLD : GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods?.of ?? 1,
      datapointsToAlarm: periods?.beyond ?? 1,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.#topic));
    alarm.addOkAction(new SnsAction(this.#topic));
    return alarm;
  }
}

/** Where the function stands in its stack, in one word. */
function nameOf({ node }: LambdaFunction): string {
  return node.path.split('/').slice(1).join('');
}
