import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { type AlarmRule, type AlarmRules, FIVE_MINUTES, gauge, MINUTE, publications, UNKNOWN } from './alarm-rule.ts';
import type { TaskWorker } from './task-worker.ts';
import type { WorkQueue } from './work-queue.ts';

/** What must not go wrong with the work that is to be done: it fails for good, nobody does it, or nobody looks. */
export function outboxAlarms(workers: readonly TaskWorker[], wakeUps: WorkQueue): AlarmRules {
  const perTask = workers.flatMap(({ task, work, node }): [string, AlarmRule][] => [
    [`${node.id}Failed`, failedRule(task)],
    [`${node.id}DeadLetters`, deadLetterRule(task, work)],
  ]);
  return { ...Object.fromEntries(perTask), WakeUpsDeadLetters: deadLetterRule('wake-up', wakeUps), ...ages() };
}

function failedRule(task: string): AlarmRule {
  return {
    runbook: 'failed-task',
    says: `A ${task} task failed for good; an order may be undelivered or a refund unsettled.`,
    metric: gauge('FailedTasks', task),
    limit: 0,
    missing: UNKNOWN,
  };
}

function deadLetterRule(name: string, { deadLetters }: WorkQueue): AlarmRule {
  return {
    runbook: 'dead-letters',
    says: `A ${name} message was given up: its function could not run, or could not reach the database.`,
    metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: MINUTE, statistic: 'Maximum' }),
    limit: 0,
    // SQS stops measuring a queue that nothing has touched for hours, whatever lies in it.
    missing: UNKNOWN,
  };
}

function ages(): AlarmRules {
  return {
    OldestDueTask: {
      runbook: 'tasks-not-claimed',
      says: 'A due task has not been claimed for five minutes.',
      metric: gauge('OldestDueTaskSeconds'),
      limit: 300,
      periods: { beyond: 3, of: 3 },
      missing: UNKNOWN,
    },
    OldestExpiredLease: {
      runbook: 'tasks-not-claimed',
      says: 'A lease that ran out has not been reclaimed for five minutes.',
      metric: gauge('OldestExpiredLeaseSeconds'),
      limit: 300,
      periods: { beyond: 3, of: 3 },
      missing: UNKNOWN,
    },
    OldestUnsentPage: {
      runbook: 'page-not-delivered',
      says: 'A page about a failed task has not reached you for five minutes.',
      metric: gauge('OldestUnsentPageSeconds'),
      limit: 300,
      missing: UNKNOWN,
    },
    OldestDeferredEvent: {
      runbook: 'deferred-event',
      says: 'A webhook has waited for an hour for something that has not come.',
      metric: gauge('OldestDeferredEventSeconds'),
      limit: 3600,
      missing: UNKNOWN,
    },
    OpenReviewCases: {
      runbook: 'review-case',
      says: 'A conflict about money waits for a person.',
      metric: gauge('OpenReviewCases'),
      limit: 0,
      missing: UNKNOWN,
    },
    ScheduleSilent: {
      runbook: 'schedule-silent',
      says: 'The claimer has published no figures for ten minutes: nothing is retried, and the alarms on tasks are blind.',
      // Only the schedule makes the claimer publish; wake-ups invoke it too, and would hide that the schedule is dead.
      metric: publications('OldestDueTaskSeconds', FIVE_MINUTES),
      limit: 1,
      isBelow: true,
      periods: { beyond: 2, of: 2 },
      missing: TreatMissingData.BREACHING,
    },
  };
}
