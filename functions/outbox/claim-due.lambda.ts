import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';

import { connect } from '../database/connection.ts';
import { queueSender } from '../platform/queues.ts';
import { count, text } from '../platform/settings.ts';
import { claimDue } from './claim-due.ts';
import { outboxSettings } from './settings.ts';
import { queueVariable } from './tasks.ts';

const sql = connect({ url: text('DATABASE_URL'), max: count('DATABASE_MAX_CONNECTIONS', 1) });
const sender = queueSender();
const limit = count('MAX_IN_FLIGHT', 10);
/** For one more pass, with sends that run into their timeout. */
const PASS_MS = 10_000;
const SEND_TIMEOUT_MS = 5_000;

/** Runs for the schedule and for wake-ups alike: neither says what is due, the database does. */
export async function handler(_event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<void> {
  await claimDue({
    sql,
    ...outboxSettings(),
    maxInFlight: () => limit,
    newToken: randomUUID,
    send: (queueUrl, body) => sender.send(queueUrl, body, { signal: AbortSignal.timeout(SEND_TIMEOUT_MS) }),
    queueUrlOf: (task) => text(queueVariable(task)),
    hasTime: () => context.getRemainingTimeInMillis() > PASS_MS,
  });
}
