import { openDatabase } from '../database/open-database.ts';
import { wakeUpSender } from '../platform/queues.ts';
import { functionSecrets } from '../platform/secrets.ts';
import { milliseconds, text } from '../platform/settings.ts';
import { loadBesideConnection } from './load-beside-connection.ts';

const secrets = functionSecrets();
const secretId = text('CLINK_WEBHOOK_SECRET_ID');
const replayWindowMs = milliseconds('REPLAY_WINDOW_MS', 300_000);
const sql = await openDatabase();
const wakeUp = wakeUpSender(text('WAKE_UP_QUEUE_URL'));

export const handler = loadBesideConnection(async () => {
  const [{ clinkWebhookHandler }, { receiveEvent }] = await Promise.all([
    import('./clink-webhook.ts'),
    import('../flows/receive-event.ts'),
  ]);
  return clinkWebhookHandler({
    signingSecrets: { read: () => secrets.read(secretId), refresh: () => secrets.refresh(secretId) },
    receive: (event, body) => receiveEvent({ sql, wakeUp }, event, body),
    replayWindowMs,
    now: Date.now,
  });
});
