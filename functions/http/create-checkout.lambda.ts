import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

import { openDatabase } from '../database/open-database.ts';
import { wakeUpSender } from '../platform/queues.ts';
import { functionSecrets } from '../platform/secrets.ts';
import { text } from '../platform/settings.ts';
import { loadBesideConnection } from './load-beside-connection.ts';

const secrets = functionSecrets();
const apiKeySecretId = text('CLINK_API_KEY_SECRET_ID');
const baseUrl = text('CLINK_API_URL');
const flow = {
  sql: await openDatabase(),
  shopUrls: { success: text('SHOP_SUCCESS_URL'), cancel: text('SHOP_CANCEL_URL') },
  wakeUp: wakeUpSender(text('WAKE_UP_QUEUE_URL')),
  now: Date.now,
  newId: randomUUID,
  wait,
};

export const handler = loadBesideConnection(async () => {
  const [{ createClinkClient }, { createCheckoutHandler }, { startCheckout }] = await Promise.all([
    import('../clink/client.ts'),
    import('./create-checkout.ts'),
    import('../flows/start-checkout.ts'),
  ]);
  const clink = createClinkClient({
    baseUrl,
    apiKeys: () => secrets.read(apiKeySecretId),
    freshApiKeys: () => secrets.refresh(apiKeySecretId),
    // Well inside the 30 s that API Gateway waits.
    timeoutMs: 10_000,
  });
  return createCheckoutHandler({ startCheckout: (command) => startCheckout({ ...flow, clink }, command) });
});
