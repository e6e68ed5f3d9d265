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
