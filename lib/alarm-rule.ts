import { Duration } from 'aws-cdk-lib';
import { type IMetric, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { GaugeName, MetricName } from '../functions/platform/metrics.ts';

/** When a person is told, and where that person reads on. */
export interface AlarmRule {
  /** The entry in docs/runbook.md that says what to do; several alarms may share one. */
  readonly runbook: string;
  readonly says: string;
  readonly metric: IMetric;
  /** The alarm begins beyond this: above it, or below it for a metric that must be there. */
  readonly limit: number;
  readonly isBelow?: true;
  /** How many of how many periods have to be beyond the limit; one of one unless said otherwise. */
  readonly periods?: { readonly beyond: number; readonly of: number };
  /** What no value means; that nothing is wrong unless said otherwise. */
  readonly missing?: TreatMissingData;
}

export type AlarmRules = Readonly<Record<string, AlarmRule>>;

export const MINUTE = Duration.minutes(1);
export const FIVE_MINUTES = Duration.minutes(5);

/**
 * For what happens now and then: a shop that sells little has minutes without a request, and a message whose function
 * dies comes back only after its visibility timeout, so trouble need not show in two minutes in a row.
 */
export const TWICE_IN_HALF_AN_HOUR = { beyond: 2, of: 6 } as const;

/** Nothing was measured, which does not mean that nothing is wrong: the alarm stays as it is. */
export const UNKNOWN = TreatMissingData.IGNORE;

/** A figure that the claimer publishes every minute. */
export function gauge(metricName: GaugeName, task?: string): Metric {
  return ours(metricName, 'Maximum', MINUTE, task);
}

/** Something that a function counts when it happens. */
export function counted(metricName: MetricName, period: Duration): Metric {
  return ours(metricName, 'Sum', period);
}

/** How many times a figure was published at all. */
export function publications(metricName: GaugeName, period: Duration): Metric {
  return ours(metricName, 'SampleCount', period);
}

function ours(metricName: string, statistic: string, period: Duration, task?: string): Metric {
  const dimensionsMap = { service: 'clink-merchant', ...(task !== undefined && { task }) };
  return new Metric({ namespace: 'ClinkMerchant', metricName, dimensionsMap, period, statistic });
}
