import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

import { createClinkClient } from '../clink/client.ts';
import { openDatabase } from '../database/open-database.ts';
import { startCheckout } from '../flows/start-checkout.ts';
import { wakeUpSender } from '../platform/queues.ts';
import { functionSecrets } from '../platform/secrets.ts';
import { text } from '../platform/settings.ts';
import { createCheckoutHandler } from './create-checkout.ts';

const secrets = functionSecrets();
const apiKeySecretId = text('CLINK_API_KEY_SECRET_ID');
const clink = createClinkClient({
  baseUrl: text('CLINK_API_URL'),
  apiKeys: () => secrets.read(apiKeySecretId),
  freshApiKeys: () => secrets.refresh(apiKeySecretId),
  // Well inside the 30 s that API Gateway waits.
  timeoutMs: 10_000,
});
const deps = {
  sql: await openDatabase(),
  clink,
  shopUrls: { success: text('SHOP_SUCCESS_URL'), cancel: text('SHOP_CANCEL_URL') },
  wakeUp: wakeUpSender(text('WAKE_UP_QUEUE_URL')),
  now: Date.now,
  newId: randomUUID,
  wait,
};

export const handler = createCheckoutHandler({ startCheckout: (command) => startCheckout(deps, command) });
