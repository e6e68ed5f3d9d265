import { setTimeout as wait } from 'node:timers/promises';
import { secretsClient } from '../../bin/local/aws/clients.ts';
import { putSecret, SECRET_IDS } from '../../bin/local/aws/vault.ts';
import type { Backend } from './backend.ts';
import type { Clink } from './clink.ts';
import type { Database } from './database.ts';
import type { Faults } from './fault.ts';
import type { Randomness } from './randomness.ts';

export interface Machines {
  readonly backend: Backend;
  readonly clink: Clink;
  readonly database: Database;
  readonly randomness: Randomness;
}

/** Beyond what webhooks and Clink's API put up with, and a difference that they must. */
const [TEN_MINUTES, SOME_SECONDS] = [600_000, 45_000];

/** What happens to whole machines. One at a time, because a stack does not start without its database. */
export function machineFaults({ backend, clink, database, randomness }: Machines): Faults {
  const sign = () => randomness.pick([1, -1]);

  async function restart(skewMs: number): Promise<number> {
    await backend.kill();
    await wait(randomness.whole(0, 1_500));
    await backend.start(skewMs);
    return 1;
  }

  /** The operator's vault learns of a new key a moment after Clink uses it. */
  async function rotate(secretId: string, key: string): Promise<number> {
    await wait(randomness.whole(0, 1_000));
    const { awsEndpointUrl: sqsUrl, secretsManagerUrl, region } = backend.stack;
    const vault = secretsClient({ sqsUrl, secretsManagerUrl, region });
    await putSecret(vault, secretId, key).finally(() => vault.destroy());
    return 1;
  }

  async function restartDatabase(how: 'stop' | 'crash'): Promise<number> {
    await database.restart(how, randomness.whole(0, 2_000));
    return 1;
  }

  return [
    { kind: 'backend killed with SIGKILL', strike: () => restart(sign() * randomness.whole(0, SOME_SECONDS)) },
    {
      kind: 'backend killed twice',
      async strike() {
        await restart(0);
        return restart(sign() * randomness.whole(0, SOME_SECONDS));
      },
    },
    {
      kind: 'clocks ten minutes apart',
      async strike() {
        await restart(sign() * TEN_MINUTES);
        await wait(randomness.whole(2_000, 5_000));
        return restart(0);
      },
    },
    {
      kind: 'backend frozen past its leases',
      async strike() {
        await backend.freeze(randomness.whole(3_500, 6_000));
        return 1;
      },
    },
    { kind: 'PostgreSQL restarted', strike: () => restartDatabase('stop') },
    { kind: 'PostgreSQL crashed', strike: () => restartDatabase('crash') },
    { kind: 'database connections cut', strike: () => database.cut() },
    { kind: 'API key replaced', strike: () => rotate(SECRET_IDS.clinkApiKey, clink.replaceApiKey()) },
    { kind: 'signing secret replaced', strike: () => rotate(SECRET_IDS.clinkWebhook, clink.replaceSigningKey()) },
  ];
}
