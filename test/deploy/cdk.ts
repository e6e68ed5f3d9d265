import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cloud } from './cloud.ts';
import { run } from './command.ts';
import { emulatedBootstrap } from './emulated-bootstrap.ts';

export type Context = Readonly<Record<string, string>>;

export interface Outputs {
  readonly ApiUrl: string;
  readonly WebhookUrl: string;
  readonly ClinkApiKeySecret: string;
  readonly ClinkWebhookSecret: string;
  readonly MerchantSecret: string;
}

const STACK = 'ClinkPayments';

/** The CDK's own command line, pointed at a cloud. `folder` gets its logs and what it synthesizes. */
export function cdk(cloud: Cloud, folder: string) {
  const assembly = join(folder, 'cdk.out');
  let synthesized: Context | null = null;

  /** Synthesizes for a context that is new, and else works with what the last deployment has synthesized. */
  async function call(log: string, args: readonly string[], context: Context): Promise<void> {
    const options = Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const source = context === synthesized ? ['--app', assembly] : [...options, '-o', assembly];
    // Only a deployment bundles the functions.
    synthesized = args[0] === 'deploy' ? context : synthesized;
    await run('cdk', [...args, ...source, '--no-notices'], {
      logFile: join(folder, `${log}.log`),
      env: { ...cloud.environment, CI: 'true', CDK_DISABLE_VERSION_CHECK: '1', CDK_DISABLE_CLI_TELEMETRY: '1' },
    });
  }

  return {
    async bootstrap(context: Context): Promise<void> {
      const template = cloud.enforcesPolicies ? ['--template', await emulatedBootstrap(folder)] : [];
      await call('bootstrap', ['bootstrap', ...template], context);
    },
    async deploy(log: string, context: Context): Promise<Outputs> {
      const outputs = join(folder, 'outputs.json');
      await call(log, ['deploy', STACK, '--require-approval', 'never', '--outputs-file', outputs], context);
      const stacks = JSON.parse(await readFile(outputs, 'utf8')) as Record<typeof STACK, Outputs>;
      return stacks[STACK];
    },
    destroy: (context: Context) => call('destroy', ['destroy', STACK, '--force'], context),
  };
}
