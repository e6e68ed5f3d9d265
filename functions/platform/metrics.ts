import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

export type MetricName =
  | 'WebhookHeadersMissing'
  | 'WebhookHeadersMalformed'
  | 'WebhookSignatureMismatch'
  | 'WebhookStaleButAuthentic'
  | 'WebhookTooLarge'
  | 'WebhookSecretUnavailable'
  | 'WebhookUnreadable'
  | 'WebhookDuplicateOtherBody'
  | 'WebhookNotStored'
  | 'RequestFailed';

const metrics = new Metrics({ namespace: 'ClinkMerchant', serviceName: 'clink-merchant' });

/**
 * Emits one count at once, as a log line in CloudWatch's embedded metric format: namespace `ClinkMerchant`, dimension
 * `service` = `clink-merchant`.
 */
export function count(name: MetricName): void {
  metrics.singleMetric().addMetric(name, MetricUnit.Count, 1);
}

export type GaugeName =
  | 'OldestDueTaskSeconds'
  | 'OldestExpiredLeaseSeconds'
  | 'OldestUnsentPageSeconds'
  | 'OldestDeferredEventSeconds'
  | 'OpenReviewCases'
  | 'FailedTasks';

/** Emits a figure as it stands now, in the same form as a count, with further dimensions beside `service`. */
export function gauge(name: GaugeName, value: number, dimensions: Readonly<Record<string, string>> = {}): void {
  const metric = metrics.singleMetric();
  for (const [dimension, of] of Object.entries(dimensions)) metric.addDimension(dimension, of);
  metric.addMetric(name, name.endsWith('Seconds') ? MetricUnit.Seconds : MetricUnit.Count, value);
}
