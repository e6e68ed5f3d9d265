import { SERVICE, writeLine } from './log.ts';

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

/**
 * Emits one count at once, as a log line in CloudWatch's embedded metric format: namespace `ClinkMerchant`, dimension
 * `service` = `clink-merchant`.
 */
export function count(name: MetricName): void {
  write(name, 1, {});
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
  write(name, value, dimensions);
}

/** As CloudWatch's embedded metric format has it; METRICS_DISABLED is for where there is no CloudWatch. */
function write(name: MetricName | GaugeName, value: number, more: Readonly<Record<string, string>>): void {
  if (process.env.METRICS_DISABLED === 'true') return;
  const dimensions = { service: SERVICE, ...more };
  const metric = { Name: name, Unit: name.endsWith('Seconds') ? 'Seconds' : 'Count' };
  const directive = { Namespace: 'ClinkMerchant', Dimensions: [Object.keys(dimensions)], Metrics: [metric] };
  writeLine({ _aws: { Timestamp: Date.now(), CloudWatchMetrics: [directive] }, ...dimensions, [name]: value });
}
