import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { MetricName } from '../functions/platform/metrics.ts';
import { type AlarmRule, type AlarmRules, counted, FIVE_MINUTES, MINUTE, TWICE_IN_HALF_AN_HOUR } from './alarm-rule.ts';

type Count = readonly [name: MetricName, says: string];

/** One is one too many: a genuine delivery was refused, and Clink tries each only ten times. */
const GENUINE: readonly Count[] = [
  ['WebhookNotStored', 'A genuine webhook could not be stored; Clink retries it.'],
  ['WebhookSecretUnavailable', 'Webhooks are refused because their secret cannot be read.'],
  ['WebhookUnreadable', 'A genuine webhook could not be read and was refused.'],
  ['WebhookStaleButAuthentic', 'Genuine webhooks are refused because they are too old.'],
  ['WebhookDuplicateOtherBody', 'One event id came with two bodies; the first was kept.'],
];

/** Anybody can send these; a person looks when they keep coming. */
const STRANGE: readonly Count[] = [
  ['WebhookHeadersMissing', 'Webhooks without signature headers keep coming.'],
  ['WebhookHeadersMalformed', 'Webhooks with malformed signature headers keep coming.'],
  ['WebhookTooLarge', 'Webhooks larger than any of Clink’s keep coming.'],
];

export interface Webhooks {
  readonly clinkWebhook: IFunction;
  /** After how many hours without any a person is told; 0 for never. */
  readonly silentHours: number;
}

/** What must not go wrong at the door. */
export function webhookAlarms(api: HttpApi, { clinkWebhook, silentHours }: Webhooks): AlarmRules {
  return {
    ...silence(clinkWebhook, silentHours),
    ApiErrors: {
      runbook: 'api-errors',
      says: 'The API keeps answering with 5xx; shoppers may not be able to buy.',
      metric: api.metricServerError({ period: FIVE_MINUTES, statistic: 'Sum' }),
      limit: 0,
      periods: TWICE_IN_HALF_AN_HOUR,
    },
    RequestFailed: {
      runbook: 'request-failed',
      says: 'Checkout or order status failed, by our fault or by Clink’s.',
      metric: counted('RequestFailed', FIVE_MINUTES),
      limit: 0,
      periods: TWICE_IN_HALF_AN_HOUR,
    },
    ...rules(GENUINE, { metric: (name) => counted(name, MINUTE), limit: 0 }),
    WebhookSignatureMismatch: {
      runbook: 'webhook-signature-mismatch',
      says: 'Webhooks with wrong signatures keep coming; if they are Clink’s, no payment is seen.',
      // Few shops have many webhooks a minute, so a wrong secret shows as a few mismatches that do not end.
      metric: counted('WebhookSignatureMismatch', FIVE_MINUTES),
      limit: 0,
      periods: TWICE_IN_HALF_AN_HOUR,
    },
    ...rules(STRANGE, { metric: (name) => counted(name, FIVE_MINUTES), limit: 10, periods: TWICE_IN_HALF_AN_HOUR }),
  };
}

/** Whatever comes counts, genuine or not: what is not genuine has alarms of its own. None when `hours` is 0. */
function silence(clinkWebhook: IFunction, hours: number): AlarmRules {
  if (hours === 0) return {};
  return {
    WebhooksSilent: {
      runbook: 'webhooks-silent',
      says: `No webhook has come for ${hours} h; if anything was sold meanwhile, its payment is not seen.`,
      metric: clinkWebhook.metricInvocations({ period: Duration.hours(1), statistic: 'Sum' }),
      limit: 1,
      isBelow: true,
      periods: { beyond: hours, of: hours },
      missing: TreatMissingData.BREACHING,
    },
  };
}

type SameForAll = Pick<AlarmRule, 'limit' | 'periods'> & { metric: (name: MetricName) => AlarmRule['metric'] };

function rules(counts: readonly Count[], { metric, ...same }: SameForAll): AlarmRules {
  return Object.fromEntries(
    counts.map(([name, says]) => [name, { ...same, runbook: kebab(name), says, metric: metric(name) }]),
  );
}

function kebab(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}
