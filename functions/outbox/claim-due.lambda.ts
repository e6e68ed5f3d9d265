import { randomUUID } from 'node:crypto';
import type { Context, EventBridgeEvent, SQSEvent } from 'aws-lambda';

import { openDatabase } from '../database/open-database.ts';
import { queueSender } from '../platform/queues.ts';
import { count, text } from '../platform/settings.ts';
import { claimDue } from './claim-due.ts';
import { pruneHistory } from './prune-history.ts';
import { publishFigures } from './publish-figures.ts';
import { outboxSettings } from './settings.ts';
import { queueVariable } from './tasks.ts';

const sql = await openDatabase();
const sender = queueSender();
const limit = count('MAX_IN_FLIGHT', 10);
const keepDays = count('RETENTION_DAYS', 90);
/** For one more pass, with sends that run into their timeout. */
const PASS_MS = 10_000;
const SEND_TIMEOUT_MS = 5_000;
/** For one batch of what is pruned. The passes leave more than this unless the last one took long; the next minute prunes. */
const PRUNE_MS = 5_000;

/** Runs for the schedule and for wake-ups alike: neither says what is due, the database does. */
export async function handler(
  event: Partial<EventBridgeEvent<'Scheduled Event', unknown>> | SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<void> {
  const isScheduled = 'source' in event && event.source === 'aws.events';
  // Once a minute, and before the claims: what they leave due is seen in the next minute.
  if (isScheduled) await publishFigures(sql);
  await claimDue({
    sql,
    ...outboxSettings(),
    maxInFlight: () => limit,
    newToken: randomUUID,
    send: (queueUrl, body) => sender.send(queueUrl, body, { signal: AbortSignal.timeout(SEND_TIMEOUT_MS) }),
    queueUrlOf: (task) => text(queueVariable(task)),
    hasTime: () => context.getRemainingTimeInMillis() > PASS_MS,
  });
  const hasTime = () => context.getRemainingTimeInMillis() > PRUNE_MS;
  if (isScheduled) await pruneHistory({ sql, keepDays, hasTime });
}
