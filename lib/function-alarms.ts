import type { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type AlarmRules, FIVE_MINUTES, TWICE_IN_HALF_AN_HOUR } from './alarm-rule.ts';

/** What must not go wrong with one function: it dies, it may not run, or it is about to be cut off. */
export function functionAlarms(name: string, user: LambdaFunction): AlarmRules {
  const periods = TWICE_IN_HALF_AN_HOUR;
  const period: { period: Duration } = { period: FIVE_MINUTES };
  return {
    [`${name}Errors`]: {
      runbook: 'function-errors',
      says: `${name} crashes or runs into its timeout.`,
      metric: user.metricErrors(period),
      limit: 0,
      periods,
    },
    [`${name}Throttles`]: {
      runbook: 'function-throttled',
      says: `${name} is throttled: the account has no concurrency left for it.`,
      metric: user.metricThrottles(period),
      limit: 0,
      periods,
    },
    [`${name}Slow`]: {
      runbook: 'function-slow',
      says: `${name} comes near its timeout.`,
      metric: user.metricDuration({ ...period, statistic: 'Maximum' }),
      // The claimer works through a backlog for up to four fifths of its time, and that is how it should be.
      limit: (user.timeout?.toMilliseconds() ?? 0) * 0.9,
      periods,
    },
  };
}
