import { openDatabase } from '../database/open-database.ts';
import { receiveEvent } from '../flows/receive-event.ts';
import { wakeUpSender } from '../platform/queues.ts';
import { functionSecrets } from '../platform/secrets.ts';
import { milliseconds, text } from '../platform/settings.ts';
import { clinkWebhookHandler } from './clink-webhook.ts';

const secrets = functionSecrets();
const secretId = text('CLINK_WEBHOOK_SECRET_ID');
const sql = await openDatabase();
const wakeUp = wakeUpSender(text('WAKE_UP_QUEUE_URL'));

export const handler = clinkWebhookHandler({
  signingSecrets: { read: () => secrets.read(secretId), refresh: () => secrets.refresh(secretId) },
  receive: (event, body) => receiveEvent({ sql, wakeUp }, event, body),
  replayWindowMs: milliseconds('REPLAY_WINDOW_MS', 300_000),
  now: Date.now,
});
