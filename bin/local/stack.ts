import { awsEnvironment } from './aws/clients.ts';
import { type SecretValues, startAws } from './aws/start-aws.ts';
import { type Clink, realClink, startDouble } from './clink.ts';
import { functionEnvironment } from './function-environment.ts';
import { CUSTOMERS, openIdentity } from './identity.ts';
import { type Keys, openKeys } from './keys.ts';
import type { ClinkAccount, LocalSettings } from './local-settings.ts';
import type { Ports } from './ports.ts';
import { type Lambdas, loadLambdas } from './sources/lambdas.ts';
import { startSources } from './sources/start-sources.ts';
import type { Stack } from './stack-file.ts';
import { startDatabase } from './start-database.ts';
import { startFront } from './start-front.ts';

export interface StackOptions {
  readonly settings: LocalSettings;
  readonly ports: Ports;
  /** Stops everything that was started, in reverse order. */
  readonly teardown: AsyncDisposableStack;
  /** Ends the start between two steps. */
  readonly signal: AbortSignal;
  /** After a key of the running stack was replaced. */
  readonly onChange: (stack: Stack) => Promise<void>;
}

/** Starts everything, in the order in which one part needs another. */
export async function startStack({ settings, ports, teardown, signal, onChange }: StackOptions): Promise<Stack> {
  const { folder, clinkAccount, claimEveryMs } = settings;
  const keys = await openKeys(folder);
  const identity = await openIdentity(keys.identityKey);
  const database = await startDatabase(settings, ports, teardown, keys.databasePassword);
  signal.throwIfAborted();
  const aws = await startAws(settings, ports, teardown, secretValues(keys, clinkAccount));
  signal.throwIfAborted();

  // Requests and webhooks may come before the functions are loaded, which need the addresses of all who send them.
  const lambdas = Promise.withResolvers<Lambdas>();
  let clink: Clink | null = null;
  const { shopUrl, apiUrl } = await startFront({
    folder,
    ports,
    teardown,
    identity,
    databaseUrl: database.ownerUrl,
    merchantSigningSecret: keys.merchantSigningSecret,
    dashboardUrl: () => clink?.dashboardUrl ?? null,
    invoke: async (name, event) => (await lambdas.promise).invoke(name, event),
  });
  clink = await startClink();
  const stack = await describe(clink);
  signal.throwIfAborted();

  const surroundings = { databaseUrl: database.appUrl, clinkApiUrl: clink.apiUrl, shopUrl, queues: aws.queues };
  Object.assign(process.env, awsEnvironment(aws), functionEnvironment(surroundings));
  const loaded = await loadLambdas();
  lambdas.resolve(loaded);
  startSources({ sqs: aws.sqs, queues: aws.queues, lambdas: loaded, claimEveryMs }, teardown);
  return stack;

  async function startClink(): Promise<Clink> {
    if (clinkAccount !== null) return realClink(clinkAccount);
    const webhookUrl = `${apiUrl}/api/webhooks/clink`;
    const onRotation = async (): Promise<void> => (clink ? onChange(await describe(clink)) : undefined);
    const double = await ports.start('clink', (port) =>
      startDouble({ port, folder, keys, webhookUrl, secrets: aws.secrets, onRotation }),
    );
    teardown.defer(() => double.close());
    return double;
  }

  async function describe({ url, keys: clinkKeys }: Clink): Promise<Stack> {
    const { sqsUrl: awsEndpointUrl, secretsManagerUrl, region, queues } = aws;
    const customers = await Promise.all(
      CUSTOMERS.map(async (customer) => {
        const { id, email } = customer;
        return { id, email, token: await identity.issueToken(customer) };
      }),
    );
    const addresses = { shopUrl, apiUrl, clinkUrl: url, databaseUrl: database.ownerUrl, awsEndpointUrl };
    const more = { secretsManagerUrl, region, wakeUpQueueUrl: queues.wakeUp };
    return { ...addresses, ...more, ...clinkKeys(), customers, pid: process.pid };
  }
}

function secretValues(keys: Keys, account: ClinkAccount | null): SecretValues {
  const { clinkSecretKey, webhookSigningKey, merchantSigningSecret } = keys;
  if (account === null) return { clinkSecretKey, webhookSigningKey, merchantSigningSecret };
  return { clinkSecretKey: account.secretKey, webhookSigningKey: account.webhookSigningKey, merchantSigningSecret };
}
