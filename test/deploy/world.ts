import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from '../../bin/local/instance-lock.ts';
import { type Context, cdk } from './cdk.ts';
import { openClink } from './clink.ts';
import { openCloud } from './cloud.ts';
import { ROOT } from './command.ts';
import { startDatabase } from './database.ts';
import { endWithUs } from './end-with-us.ts';
import { openMerchant } from './merchant.ts';
import { openQueues } from './queues.ts';
import { openSecrets } from './secrets.ts';
import { openSignIn } from './sign-in.ts';

/** Everything that a merchant has before the first deployment, and the logs of what follows in one folder. */
export type World = Awaited<ReturnType<typeof openWorld>>;

export async function openWorld(teardown: AsyncDisposableStack) {
  endWithUs(teardown);
  const folder = join(ROOT, '.local/deploy-test');
  await mkdir(folder, { recursive: true });
  const lock = lockFolder(folder);
  teardown.defer(() => lock.release());
  for (const leftover of ['emulator', 'cdk.out']) await rm(join(folder, leftover), { recursive: true, force: true });

  const { secret, sql } = await startDatabase(folder, teardown);
  const cloud = await openCloud(folder, teardown);
  const [secrets, queues] = [openSecrets(cloud), openQueues(cloud)];
  for (const each of [secrets, queues]) teardown.defer(() => each.close());
  const [signIn, clink, merchantSecret] = [await openSignIn(), await openClink(), newMerchantSecret()];
  const merchant = await openMerchant(merchantSecret);
  for (const each of [signIn, clink, merchant]) teardown.defer(() => each.close());

  const context: Context = {
    jwtIssuer: signIn.issuer,
    jwtAudience: signIn.audience,
    shopOrigin: 'https://shop.example',
    successUrl: 'https://shop.example/return',
    cancelUrl: 'https://shop.example/cancel',
    merchantUrl: merchant.url,
    clinkApiUrl: `${clink.url}/api`,
    databaseSecretArn: await secrets.create('shop-database', JSON.stringify(secret)),
  };
  return { cloud, sql, secrets, queues, signIn, clink, merchant, merchantSecret, context, cdk: cdk(cloud, folder) };
}

const newMerchantSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;
