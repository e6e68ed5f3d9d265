import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../bin/local/free-port.ts';
import { start } from './command.ts';
import { openFrontDoor } from './front-door.ts';
import { findMinistack } from './ministack.ts';

type Variable = 'AWS_ENDPOINT_URL' | 'AWS_REGION' | 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY';

/** The AWS that is deployed to. */
export interface Cloud {
  readonly name: string;
  /** What the SDK and the CDK's command line read. */
  readonly environment: Readonly<Record<Variable, string>>;
  /** Whether roles are held to their policies. */
  readonly enforcesPolicies: boolean;
}

/** The endpoint at AWS_ENDPOINT_URL, or an emulator of our own for as long as the test runs. */
export async function openCloud(folder: string, teardown: AsyncDisposableStack): Promise<Cloud> {
  const { AWS_ENDPOINT_URL: given, AWS_REGION = 'eu-central-1' } = process.env;
  const endpoint = given ?? (await startEmulator(folder, AWS_REGION, teardown));
  const { AWS_ACCESS_KEY_ID = 'test', AWS_SECRET_ACCESS_KEY = 'test' } = given === undefined ? {} : process.env;
  return {
    name: given === undefined ? 'MiniStack' : 'the given endpoint',
    enforcesPolicies: given === undefined,
    environment: { AWS_ENDPOINT_URL: endpoint, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
  };
}

async function startEmulator(folder: string, region: string, teardown: AsyncDisposableStack): Promise<string> {
  const port = await freePort();
  const gateway = `http://127.0.0.1:${port}`;
  const door = await openFrontDoor(gateway);
  teardown.defer(() => door.close());
  const temporary = join(folder, 'emulator');
  await mkdir(temporary, { recursive: true });
  // Its own scripts are CommonJS, and would take our package.json for theirs.
  await writeFile(join(temporary, 'package.json'), '{}');
  const emulator = await start(await findMinistack(), [], {
    logFile: join(folder, 'emulator.log'),
    env: {
      TMPDIR: temporary,
      STATE_DIR: temporary,
      S3_DATA_DIR: temporary,
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      MINISTACK_REGION: region,
      // The functions run as processes of this machine, on the Node that PATH names.
      LAMBDA_EXECUTOR: 'local',
      // What the functions call.
      AWS_ENDPOINT_URL: door.url,
      // Roles may do what their policies say, and nothing else.
      AUTH: 'true',
    },
  });
  const ended = once(emulator, 'exit');
  teardown.defer(async () => {
    emulator.stdin?.end();
    await ended;
  });
  await answering(`${gateway}/_ministack/health`, () => emulator.exitCode === null);
  return door.url;
}

async function answering(url: string, isAlive: () => boolean): Promise<void> {
  while (isAlive()) {
    const answer = await fetch(url).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await pause(100);
  }
  throw new Error('the emulator ended before it answered: see emulator.log');
}
