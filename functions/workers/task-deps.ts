import { randomUUID } from 'node:crypto';

import { openDatabase } from '../database/open-database.ts';
import type { RunDeps } from '../outbox/run-task.ts';
import { outboxSettings } from '../outbox/settings.ts';
import { systemTimers } from '../outbox/timers.ts';
import { wakeUpSender } from '../platform/queues.ts';
import { text } from '../platform/settings.ts';

/** What every worker has, once per instance. */
const wakeUp = wakeUpSender(text('WAKE_UP_QUEUE_URL'));
const sql = await openDatabase();

export const runDeps: RunDeps = {
  sql,
  wakeUp,
  timers: systemTimers,
  newToken: randomUUID,
  random: Math.random,
  ...outboxSettings(),
};
export const flow = { sql, wakeUp };
