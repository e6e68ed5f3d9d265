import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Alarm, ComparisonOperator, type IMetric, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { DatabaseCluster } from 'aws-cdk-lib/aws-rds';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { MetricName } from '../functions/platform/metrics.ts';
import type { OutboxClaim } from './outbox-claim.ts';
import type { TaskWorker } from './task-worker.ts';
import type { WorkQueue } from './work-queue.ts';

export interface AlarmsProps {
  /** Empty for none. */
  readonly email: string;
  readonly functions: readonly LambdaFunction[];
  readonly workers: readonly TaskWorker[];
  readonly wakeUps: WorkQueue;
  readonly claim: OutboxClaim;
  readonly api: HttpApi;
  readonly cluster: DatabaseCluster | null;
  readonly maxCapacity: number;
}

interface AlarmRule {
  /** The entry in docs/runbook.md that says what to do; several alarms may share one. */
  readonly runbook: string;
  readonly says: string;
  readonly metric: IMetric;
  readonly above: number;
  /** Minutes in a row; one by default. */
  readonly minutes?: number;
  /** For a metric that must be there: its absence is the alarm. */
  readonly missing?: TreatMissingData;
}

const NAMESPACE = 'ClinkMerchant';
const SERVICE = { service: 'clink-merchant' };
const MINUTE = Duration.minutes(1);

/** Everything that should wake or bother a person. Each alarm names its entry in the runbook. */
export class Alarms extends Construct {
  readonly all: Alarm[] = [];
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.topic = this.makeTopic(props.email);
    this.outbox(props);
    this.webhooks(props);
    for (const each of props.functions) this.lambda(each);
    if (props.cluster) this.database(props.cluster, props.maxCapacity);
  }

  private makeTopic(email: string): Topic {
    const key = new Key(this, 'TopicKey', { description: 'Encrypts alarms on their way', enableKeyRotation: true });
    key.grantEncryptDecrypt(new ServicePrincipal('cloudwatch.amazonaws.com'));
    const topic = new Topic(this, 'Topic', { displayName: 'Clink payments', masterKey: key, enforceSSL: true });
    if (email !== '') topic.addSubscription(new EmailSubscription(email));
    return topic;
  }

  private outbox({ workers, wakeUps, claim }: AlarmsProps): void {
    for (const { task, work, node } of workers) {
      this.add(`${node.id}Failed`, {
        runbook: 'failed-task',
        says: `A ${task} task failed for good; an order may be undelivered or a refund unsettled.`,
        metric: gauge('FailedTasks', { task }),
        above: 0,
      });
      this.add(`${node.id}DeadLetters`, deadLetterRule(task, work));
    }
    this.add('WakeUpsDeadLetters', deadLetterRule('wake-up', wakeUps));
    this.add('OldestDueTask', {
      runbook: 'tasks-not-claimed',
      says: 'A due task has not been claimed for five minutes.',
      metric: gauge('OldestDueTaskSeconds'),
      above: 300,
      minutes: 3,
    });
    this.add('OldestExpiredLease', {
      runbook: 'tasks-not-claimed',
      says: 'A lease that ran out has not been reclaimed for five minutes.',
      metric: gauge('OldestExpiredLeaseSeconds'),
      above: 300,
      minutes: 3,
    });
    this.add('OldestUnsentPage', {
      runbook: 'page-not-delivered',
      says: 'A page about a failed task has not reached you for five minutes.',
      metric: gauge('OldestUnsentPageSeconds'),
      above: 300,
    });
    this.add('OldestDeferredEvent', {
      runbook: 'deferred-event',
      says: 'A webhook has waited for an hour for something that has not come.',
      metric: gauge('OldestDeferredEventSeconds'),
      above: 3600,
    });
    this.add('OpenReviewCases', {
      runbook: 'review-case',
      says: 'A conflict about money waits for a person.',
      metric: gauge('OpenReviewCases'),
      above: 0,
    });
    this.add('ScheduleSilent', {
      runbook: 'schedule-silent',
      says: 'The claimer has not been invoked for ten minutes, so nothing moves.',
      metric: claim.claimer.metricInvocations({ period: Duration.minutes(5), statistic: 'Sum' }),
      above: 0,
      minutes: 2,
      missing: TreatMissingData.BREACHING,
    });
  }

  private webhooks({ api }: AlarmsProps): void {
    this.add('ApiErrors', {
      runbook: 'api-errors',
      says: 'The API answers with 5xx; Clink retries webhooks, shoppers may not be able to buy.',
      metric: api.metricServerError({ period: MINUTE, statistic: 'Sum' }),
      above: 0,
      minutes: 2,
    });
    const counts: readonly [MetricName, string, number][] = [
      ['WebhookNotStored', 'A genuine webhook could not be stored; Clink retries it.', 0],
      ['WebhookSecretUnavailable', 'Webhooks are refused because their secret cannot be read.', 0],
      ['WebhookUnreadable', 'A genuine webhook could not be read and was refused.', 0],
      ['WebhookStaleButAuthentic', 'Genuine webhooks are refused because they are too old.', 0],
      ['WebhookDuplicateOtherBody', 'One event id came with two bodies; the first was kept.', 0],
      ['WebhookSignatureMismatch', 'Webhooks with wrong signatures keep coming.', 10],
      ['WebhookHeadersMissing', 'Webhooks without signature headers keep coming.', 10],
      ['WebhookHeadersMalformed', 'Webhooks with malformed signature headers keep coming.', 10],
      ['WebhookTooLarge', 'Webhooks larger than any of Clink’s keep coming.', 10],
    ];
    for (const [name, says, above] of counts) {
      this.add(name, { runbook: kebab(name), says, metric: counted(name), above });
    }
  }

  private lambda(user: LambdaFunction): void {
    const name = user.node.path.split('/').slice(1).join('');
    const period = { period: MINUTE };
    this.add(`${name}Errors`, {
      runbook: 'function-errors',
      says: `${name} fails.`,
      metric: user.metricErrors(period),
      above: 0,
      minutes: 2,
    });
    this.add(`${name}Throttles`, {
      runbook: 'function-throttled',
      says: `${name} is throttled: the account has no concurrency left for it.`,
      metric: user.metricThrottles(period),
      above: 0,
      minutes: 3,
    });
    this.add(`${name}Slow`, {
      runbook: 'function-slow',
      says: `${name} comes near its timeout.`,
      metric: user.metricDuration({ ...period, statistic: 'Maximum' }),
      above: (user.timeout?.toMilliseconds() ?? 60_000) * 0.8,
      minutes: 3,
    });
  }

  private database(cluster: DatabaseCluster, maxCapacity: number): void {
    this.add('DatabaseConnections', {
      runbook: 'database-connections',
      says: 'The database has more connections than it is sized for.',
      // One unit of capacity is good for about ninety connections.
      metric: cluster.metricDatabaseConnections({ period: MINUTE, statistic: 'Maximum' }),
      above: Math.round(maxCapacity * 90 * 0.8),
      minutes: 5,
    });
    this.add('DatabaseCapacity', {
      runbook: 'database-capacity',
      says: 'The database works at its largest size.',
      metric: cluster.metricServerlessDatabaseCapacity({ period: MINUTE, statistic: 'Maximum' }),
      above: maxCapacity * 0.9,
      minutes: 15,
    });
    this.add('DatabaseStorage', {
      runbook: 'database-storage',
      says: 'The database holds more than a hundred gigabytes.',
      metric: cluster.metricVolumeBytesUsed({ period: Duration.hours(1), statistic: 'Maximum' }),
      above: 100 * 1024 ** 3,
    });
  }

  private add(id: string, { runbook, says, metric, above, minutes = 1, missing }: AlarmRule): void {
    const mustBeThere = missing === TreatMissingData.BREACHING;
    const alarm = new Alarm(this, id, {
      alarmDescription: `${says} Runbook: docs/runbook.md#${runbook}`,
      metric,
      threshold: mustBeThere ? above + 1 : above,
      comparisonOperator: mustBeThere
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: minutes,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    alarm.addOkAction(new SnsAction(this.topic));
    this.all.push(alarm);
  }
}

function deadLetterRule(name: string, { deadLetters }: WorkQueue): AlarmRule {
  return {
    runbook: 'dead-letters',
    says: `A ${name} message was given up: its function could not reach the database.`,
    metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: MINUTE, statistic: 'Maximum' }),
    above: 0,
  };
}

/** A figure that the claimer publishes every minute. */
function gauge(metricName: string, dimensions: Record<string, string> = {}): Metric {
  return new Metric({
    namespace: NAMESPACE,
    metricName,
    dimensionsMap: { ...SERVICE, ...dimensions },
    period: MINUTE,
    statistic: 'Maximum',
  });
}

function counted(metricName: MetricName): Metric {
  return new Metric({ namespace: NAMESPACE, metricName, dimensionsMap: SERVICE, period: MINUTE, statistic: 'Sum' });
}

function kebab(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}
