import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { lockFolder } from './instance-lock.ts';
import { type LocalSettings, localSettings } from './local-settings.ts';
import { openPorts } from './ports.ts';
import { inOneLine, Problem } from './problem.ts';
import { resetFolder } from './reset.ts';
import { startStack } from './stack.ts';
import { removeStackFile, type Stack, writeStackFile } from './stack-file.ts';
import { onStopRequest } from './stop-request.ts';

const HELP = `npm start [-- options]
Runs the whole shop on this machine: PostgreSQL, queues, API, workers, a demo shop and a double of Clink.

  --reset       delete the data of earlier runs first (not what is in DATABASE_URL or at AWS_ENDPOINT_URL)
  --free-ports  take any free ports instead of the usual ones, 4100 to 4105
  --help

Environment, all of it optional:
  LOCAL_FOLDER       where data is kept (.local)
  DATABASE_URL       a PostgreSQL to use instead of one of our own, one host over TCP; its user may migrate and make roles
  AWS_ENDPOINT_URL   such as LocalStack, to use instead of queues and secrets of our own
  CLINK_SECRET_KEY   with CLINK_WEBHOOK_SIGNING_KEY and PUBLIC_URL (a tunnel to the API): Clink's sandbox instead of the double
  CLINK_API_URL      another Clink than the sandbox
  LEASE_MS, MAX_ATTEMPT, BACKOFF_BASE_MS, MAX_BACKOFF_MS, REPLAY_WINDOW_MS, CLAIM_EVERY_MS   for quick trials
`;

async function main(): Promise<number> {
  const flags = readFlags();
  if (flags.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const stop = onStopRequest();
  await run(localSettings(process.env), flags, stop).catch((error: unknown) => {
    if (!stop.aborted) throw error;
  });
  return 0;
}

function readFlags() {
  try {
    const options = {
      reset: { type: 'boolean' },
      'free-ports': { type: 'boolean' },
      help: { type: 'boolean' },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    throw new Problem(`${(error as Error).message.split('. ')[0]}; --help lists the options`);
  }
}

/** Resolves when everything has been stopped again. */
async function run(settings: LocalSettings, flags: ReturnType<typeof readFlags>, stop: AbortSignal): Promise<void> {
  const { folder } = settings;
  await mkdir(folder, { recursive: true });
  await using teardown = new AsyncDisposableStack();
  const lock = lockFolder(folder);
  teardown.defer(() => lock.release());
  if (flags.reset) await resetFolder(settings);

  process.on('exit', () => removeStackFile(folder));
  const ports = await openPorts(folder, !flags['free-ports']);
  const publish = (stack: Stack): Promise<void> => writeStackFile(folder, stack);
  const stack = await startStack({ settings, ports, teardown, signal: stop, onChange: publish });
  await ports.remember();
  await publish(stack);
  process.stdout.write(summary(stack, settings));
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
  removeStackFile(folder);
  process.stdout.write('Stopping…\n');
}

function summary({ shopUrl, apiUrl, clinkUrl }: Stack, { clinkAccount, folder }: LocalSettings): string {
  const clink =
    clinkAccount === null
      ? `Clink's dashboard   ${clinkUrl}/dashboard   refunds, expiry, and trouble on request`
      : `Clink               ${clinkUrl}\n  Its webhooks go to  ${clinkAccount.publicUrl}/api/webhooks/clink   register it, and tunnel it to ${apiUrl}`;
  return `
  Demo shop           ${shopUrl}   buy something here
  Merchant's desk     ${shopUrl}/merchant   what was delivered
  ${clink}
  API                 ${apiUrl}/api

  Addresses and keys for scripts are in ${folder}/stack.json. Ctrl-C stops; the data stays.

`;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`npm start: ${inOneLine(error)}\n`);
    process.exit(1);
  },
);
