import { randomUUID } from 'node:crypto';

import { connect } from '../database/connection.ts';
import type { RunDeps } from '../outbox/run-task.ts';
import { outboxSettings } from '../outbox/settings.ts';
import { systemTimers } from '../outbox/timers.ts';
import { wakeUpSender } from '../platform/queues.ts';
import { count, text } from '../platform/settings.ts';

/** What every worker has, once per instance. */
const wakeUp = wakeUpSender(text('WAKE_UP_QUEUE_URL'));
/** Two connections: a heartbeat must not wait for the work's own transaction. */
const sql = connect({ url: text('DATABASE_URL'), max: count('DATABASE_MAX_CONNECTIONS', 2) });

export const runDeps: RunDeps = {
  sql,
  wakeUp,
  timers: systemTimers,
  newToken: randomUUID,
  random: Math.random,
  ...outboxSettings(),
};
export const flow = { sql, wakeUp };
