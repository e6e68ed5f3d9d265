import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TASK_NAMES } from '../../functions/outbox/tasks.ts';
import type { MetricName } from '../../functions/platform/metrics.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type EmbeddedMetric, embeddedMetrics } from '../support/embedded-metrics.ts';
import { OWN_DATABASE, REQUIRED, synthesize } from './synthesized.ts';

interface MetricOfAlarm {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface AlarmProperties extends Partial<MetricOfAlarm> {
  readonly AlarmDescription: string;
  readonly Metrics?: readonly {
    readonly MetricStat?: { readonly Metric: MetricOfAlarm };
    readonly Expression?: string;
  }[];
  readonly TreatMissingData: string;
  readonly Statistic?: string;
  readonly ComparisonOperator: string;
  readonly Threshold: number;
  readonly Period?: number;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm: number;
  readonly AlarmActions: readonly unknown[];
  readonly OKActions: readonly unknown[];
}

function alarmsOf(context: Readonly<Record<string, string>>): Map<string, AlarmProperties> {
  const found = synthesize(context).resources('ClinkPayments', 'AWS::CloudWatch::Alarm');
  return new Map(
    Object.entries(found).map(([id, { Properties }]) => [
      id.replace(/^Alarms/, '').replace(/[0-9A-F]{8}$/, ''),
      Properties as unknown as AlarmProperties,
    ]),
  );
}

const alarms = alarmsOf(REQUIRED);

function metricsOf({ Metrics, Namespace, MetricName, Dimensions }: AlarmProperties): MetricOfAlarm[] {
  if (Namespace && MetricName) return [{ Namespace, MetricName, Dimensions: Dimensions ?? [] }];
  return (Metrics ?? []).flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []));
}

const dimensionNames = ({ Dimensions }: MetricOfAlarm) => (Dimensions ?? []).map(({ Name }) => Name).sort();

/** `name{dimension=value}`, in which both sides are compared. */
function spelled(namespace: string, name: string, dimensions: readonly (readonly [string, string])[]): string {
  const sorted = dimensions.map(([dimension, value]) => `${dimension}=${value}`).sort();
  return `${namespace} ${name}{${sorted.join(',')}}`;
}

const runbook = readFileSync(join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
const entries = [...runbook.matchAll(/^## (\S+)$/gm)].map(([, entry = '']) => entry);

describe('the runbook', () => {
  it('has an entry for every alarm, and an alarm for every entry', () => {
    const named = [...alarms.values()].map(
      ({ AlarmDescription }) => AlarmDescription.match(/ Runbook: docs\/runbook\.md#([a-z0-9-]+)$/)?.[1],
    );
    expect([...new Set(named)].sort()).toEqual([...entries].sort());
  });

  it.each(entries)('says of %s what it means, what to look at, what to run, and what happens otherwise', (entry) => {
    const text = runbook.split(`## ${entry}\n`)[1]?.split('\n## ')[0] ?? '';
    for (const part of ['**Means.**', '**Look at.**', '**Run.**', '**If nothing is done.**'])
      expect(text).toContain(part);
    expect(text).toMatch(/```sh\n[\s\S]+?\n```/);
  });
});

describe('the runbook’s commands', () => {
  const stack = synthesize(REQUIRED);
  const ids = (type: string) => Object.keys(stack.resources('ClinkPayments', type));
  const named = [
    ...runbook
      .matchAll(/^(?: {2})?logs (?<id>\w+)/gm)
      .map((match) => ['AWS::Logs::LogGroup', `${match.groups?.id}Logs`]),
    ...runbook.matchAll(/\$\(fn (?<id>\w+)\)/g).map((match) => ['AWS::Lambda::Function', match.groups?.id]),
    ...runbook.matchAll(/\$\(queue (?<id>\w+)\)/g).map((match) => ['AWS::SQS::Queue', match.groups?.id]),
    ...runbook
      .matchAll(/physical (?<type>AWS::[\w:]+) (?<id>\w+)/g)
      .map((match) => [match.groups?.type, match.groups?.id]),
  ];

  it('name resources that the stack has', () => {
    expect(named.length).toBeGreaterThan(30);
    const missing = named.filter(([type = '', id = '']) => !ids(type).some((each) => each.startsWith(id)));
    expect(missing).toEqual([]);
  });
});

describe('the README', () => {
  it('counts what alarms cost by: each metric that one watches', () => {
    const watched = [...alarms.values()].flatMap(metricsOf).length;
    const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
    expect(readme).toContain(`| ${watched} × 0.10 | ${(watched * 0.1).toFixed(2)} |`);
  });
});

describe('every alarm', () => {
  it.each([...alarms])('%s tells somebody when it begins and when it ends, in a sentence', (_id, alarm) => {
    expect(alarm.AlarmActions).toHaveLength(1);
    expect(alarm.OKActions).toEqual(alarm.AlarmActions);
    expect(alarm.AlarmDescription).toMatch(/^[A-Za-z].+\. Runbook: /);
    expect(alarm.DatapointsToAlarm).toBeLessThanOrEqual(alarm.EvaluationPeriods);
  });

  it('is on the dashboard', () => {
    const [dashboard] = Object.values(synthesize(REQUIRED).resources('ClinkPayments', 'AWS::CloudWatch::Dashboard'));
    const body = JSON.stringify(dashboard?.Properties.DashboardBody);
    expect([...alarms.keys()].filter((id) => !body.includes(`\\"title\\":\\"${id}\\"`))).toEqual([]);
  });

  it('sends to a topic that is encrypted, over TLS, and to the address that was given', () => {
    const stack = synthesize({ ...REQUIRED, alarmEmail: 'oncall@shop.example' });
    const [topic] = Object.values(stack.resources('ClinkPayments', 'AWS::SNS::Topic'));
    expect(topic?.Properties.KmsMasterKeyId).toBeDefined();
    const subscriptions = Object.values(stack.resources('ClinkPayments', 'AWS::SNS::Subscription'));
    expect(subscriptions.map(({ Properties }) => Properties)).toMatchObject([
      { Protocol: 'email', Endpoint: 'oncall@shop.example' },
    ]);
    const [policy] = Object.values(stack.resources('ClinkPayments', 'AWS::SNS::TopicPolicy'));
    expect(JSON.stringify(policy)).toContain('"aws:SecureTransport":"false"');
  });

  it('goes through a topic that takes messages of this account’s CloudWatch, which may encrypt them', () => {
    const stack = synthesize(REQUIRED);
    const statements = (type: string, document: string) =>
      Object.values(stack.resources('ClinkPayments', type)).flatMap(({ Properties }) =>
        Object.values(Object(Properties[document]?.Statement)),
      );
    const Principal = { Service: 'cloudwatch.amazonaws.com' };
    const [topic] = Object.keys(stack.resources('ClinkPayments', 'AWS::SNS::Topic'));
    expect(statements('AWS::SNS::TopicPolicy', 'PolicyDocument')).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal,
        Resource: { Ref: topic },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    );
    expect(statements('AWS::KMS::Key', 'KeyPolicy')).toContainEqual(
      expect.objectContaining({ Effect: 'Allow', Principal, Action: ['kms:Decrypt', 'kms:GenerateDataKey*'] }),
    );
  });
});

describe('the metric behind an alarm of ours', () => {
  let db: TestDatabase;
  let emitted: EmbeddedMetric[];
  beforeAll(async () => {
    db = await createDatabase();
    emitted = await embeddedMetrics(async () => {
      const { publishFigures } = await import('../../functions/outbox/publish-figures.ts');
      await publishFigures(db.app);
      const { count } = await import('../../functions/platform/metrics.ts');
      for (const name of Object.keys(COUNTED) as MetricName[]) count(name);
    });
  });
  afterAll(() => db.drop());

  /** The compiler holds this list to the names that functions may count. */
  const COUNTED: Readonly<Record<MetricName, true>> = {
    WebhookHeadersMissing: true,
    WebhookHeadersMalformed: true,
    WebhookSignatureMismatch: true,
    WebhookStaleButAuthentic: true,
    WebhookTooLarge: true,
    WebhookSecretUnavailable: true,
    WebhookUnreadable: true,
    WebhookDuplicateOtherBody: true,
    WebhookNotStored: true,
    RequestFailed: true,
  };

  it('is one that the functions emit, and each that they emit has an alarm', () => {
    const watched = [...alarms.values()]
      .flatMap(metricsOf)
      .filter(({ Namespace }) => !Namespace.startsWith('AWS/'))
      .map(({ Namespace, MetricName, Dimensions }) =>
        spelled(
          Namespace,
          MetricName,
          (Dimensions ?? []).map(({ Name, Value }) => [Name, String(Value)]),
        ),
      );
    const published = emitted.map(({ namespace, name, dimensions }) =>
      spelled(namespace, name, Object.entries(dimensions)),
    );
    expect([...new Set(watched)].sort()).toEqual([...new Set(published)].sort());
    expect(watched.filter((metric) => metric.includes(' FailedTasks{'))).toHaveLength(TASK_NAMES.length);
  });
});

describe('the metric behind an alarm of AWS', () => {
  /** Names and dimensions as the services document them. */
  const PUBLISHED: Readonly<Record<string, readonly string[]>> = {
    'AWS/Lambda': ['FunctionName', 'Errors', 'Throttles', 'Duration', 'Invocations'],
    'AWS/SQS': ['QueueName', 'ApproximateNumberOfMessagesVisible'],
    'AWS/ApiGateway': ['ApiId', '5xx'],
    'AWS/RDS': [
      'DBClusterIdentifier',
      'CPUUtilization',
      'DatabaseConnections',
      'ServerlessDatabaseCapacity',
      'VolumeBytesUsed',
    ],
  };

  it('is spelled as the service spells it', () => {
    const used = [...alarms.values()].flatMap(metricsOf).filter(({ Namespace }) => Namespace.startsWith('AWS/'));
    for (const metric of used) {
      const [dimension, ...names] = PUBLISHED[metric.Namespace] ?? [];
      expect(dimensionNames(metric)).toEqual([dimension]);
      expect(names).toContain(metric.MetricName);
    }
    const all = Object.entries(PUBLISHED).flatMap(([namespace, [, ...names]]) =>
      names.map((name) => `${namespace} ${name}`),
    );
    expect([...new Set(used.map(({ Namespace, MetricName }) => `${Namespace} ${MetricName}`))].sort()).toEqual(
      all.sort(),
    );
  });

  it('watches every function that runs unattended, and the dead letters of every queue', () => {
    for (const kind of ['Errors', 'Throttles', 'Slow']) {
      expect([...alarms.keys()].filter((id) => id.endsWith(kind) && id !== 'ApiErrors')).toHaveLength(12);
    }
    expect([...alarms.keys()].filter((id) => id.endsWith('DeadLetters'))).toHaveLength(TASK_NAMES.length + 1);
  });

  it('is not there for a database that is not ours', () => {
    expect([...alarmsOf(OWN_DATABASE).keys()].filter((id) => id.startsWith('Database'))).toEqual([]);
  });
});

describe('an alarm', () => {
  const alarm = (id: string) => alarms.get(id) ?? expect.fail(`there is no alarm ${id}`);

  it('on a figure stays as it is while no figure comes: nothing measured is not nothing wrong', () => {
    const figures = [...alarms].filter(
      ([id, { Namespace, Statistic }]) =>
        Namespace === 'ClinkMerchant' && Statistic === 'Maximum' && id !== 'ScheduleSilent',
    );
    expect(figures).toHaveLength(TASK_NAMES.length + 5);
    for (const [, { TreatMissingData }] of figures) expect(TreatMissingData).toBe('ignore');
    for (const [id, { TreatMissingData }] of alarms)
      if (id.endsWith('DeadLetters')) expect(TreatMissingData).toBe('ignore');
  });

  it('on the schedule begins when no figures come, though wake-ups may still start the claimer', () => {
    expect(alarm('ScheduleSilent')).toMatchObject({
      Namespace: 'ClinkMerchant',
      Statistic: 'SampleCount',
      TreatMissingData: 'breaching',
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      Period: 300,
      EvaluationPeriods: 2,
    });
  });

  it('on a failed task, a case or a genuine webhook begins with the first', () => {
    const first = [
      'FulfillFailed',
      'OpenReviewCases',
      'WebhookNotStored',
      'WebhookStaleButAuthentic',
      'WebhookSecretUnavailable',
    ];
    for (const id of first) {
      expect(alarm(id)).toMatchObject({
        Threshold: 0,
        DatapointsToAlarm: 1,
        ComparisonOperator: 'GreaterThanThreshold',
      });
    }
  });

  it('on what happens now and then does not ask for two minutes in a row', () => {
    for (const id of ['WebhookSignatureMismatch', 'ApiErrors', 'FulfillWorkerErrors']) {
      expect(alarm(id)).toMatchObject({ Period: 300, EvaluationPeriods: 6, DatapointsToAlarm: 2 });
    }
  });

  it('on webhooks that do not come begins after a day without one, or after the hours that were asked for', () => {
    expect(alarm('WebhooksSilent')).toMatchObject({
      MetricName: 'Invocations',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: expect.stringMatching(/^ClinkWebhook/) } }],
      TreatMissingData: 'breaching',
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      Period: 3_600,
      EvaluationPeriods: 24,
      DatapointsToAlarm: 24,
    });
    const sooner = alarmsOf({ ...REQUIRED, webhooksSilentHours: '2' }).get('WebhooksSilent');
    expect(sooner).toMatchObject({ EvaluationPeriods: 2, DatapointsToAlarm: 2 });
    expect(alarmsOf({ ...REQUIRED, webhooksSilentHours: '0' }).has('WebhooksSilent')).toBe(false);
  });

  it('on a slow function begins below its timeout, and above what the claimer takes for a backlog', () => {
    expect(alarm('CreateCheckoutSlow').Threshold).toBe(25_200);
    expect(alarm('OutboxClaimClaimerSlow').Threshold).toBe(45_000);
  });

  it('on connections knows how many Aurora allows', () => {
    expect(alarm('DatabaseConnections').Threshold).toBe(Math.round(8 * 189 * 0.8));
    const sized = (minCapacity: string, maxCapacity: string) =>
      alarmsOf({ ...REQUIRED, minCapacity, maxCapacity }).get('DatabaseConnections')?.Threshold;
    expect(sized('0.5', '64')).toBe(1_600);
    expect(sized('2', '64')).toBe(4_000);
  });

  it('on capacity is left out for a database of one size, which is always at its largest', () => {
    expect(alarm('DatabaseCapacity').Threshold).toBe(7.5);
    const fixed = alarmsOf({ ...REQUIRED, minCapacity: '4', maxCapacity: '4' });
    expect(fixed.has('DatabaseCapacity')).toBe(false);
    expect(fixed.has('DatabaseCpu')).toBe(true);
  });
});
