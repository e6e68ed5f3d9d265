import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { queueVariable, TASK_NAMES } from '../../functions/outbox/tasks.ts';
import type { Entry } from '../../lib/bundle-sizes.ts';
import { grantsOf, nameOf } from './grants.ts';
import { OWN_DATABASE, REQUIRED, type Resource, synthesize } from './synthesized.ts';

/** The code of each function, by where the function stands in the stack. */
const ENTRY_OF: Readonly<Record<string, Entry>> = {
  CreateCheckout: 'http/create-checkout',
  GetOrder: 'http/get-order',
  ClinkWebhook: 'http/clink-webhook',
  'OutboxClaim/Claimer': 'outbox/claim-due',
  'Fulfill/Worker': 'workers/fulfill',
  'ApplyRefundPolicy/Worker': 'workers/apply-refund-policy',
  'ManualReconciliation/Worker': 'workers/manual-reconciliation',
  'PageOutboxFailure/Worker': 'workers/page-outbox-failure',
  'ReprocessWebhook/Worker': 'workers/reprocess-webhook',
  'ReconcileAttempt/Worker': 'workers/reconcile-attempt',
  'ReconcileSession/Worker': 'workers/reconcile-session',
  'RefundReconcile/Worker': 'workers/refund-reconcile',
  'SchemaMigration/Migrator': 'database/migrate',
  Operator: 'operations/operate',
};

/** Read by Node and the runtime. */
const OF_THE_RUNTIME = /^(NODE_OPTIONS|NODE_EXTRA_CA_CERTS)$/;
const ROOT = join(import.meta.dirname, '../..');

/** What remains of our own code in a function once everything that it cannot reach is gone. */
function codeOf(entry: Entry): string {
  const { outputFiles } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: [`functions/${entry}.lambda.ts`],
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    write: false,
  });
  return outputFiles.map(({ text }) => text).join();
}

describe.each([
  ['a database of ours', REQUIRED],
  ['the merchant’s own database', OWN_DATABASE],
])('with %s', (_which, context) => {
  const resources = synthesize(context).template('ClinkPayments').Resources as Record<string, Resource>;
  const grants = grantsOf(resources);
  const functions = Object.entries(resources)
    .filter(([id, { Type }]) => Type === 'AWS::Lambda::Function' && !id.startsWith('AWSCDK'))
    .map(([id, { Properties }]) => {
      const variables = Object.keys(Properties.Environment?.Variables ?? {});
      return [nameOf(resources, id), variables.filter((name) => !OF_THE_RUNTIME.test(name))] as const;
    });

  it('every function is looked at', () => {
    expect(functions.map(([name]) => name).sort()).toEqual(Object.keys(ENTRY_OF).sort());
  });

  it.each(functions)('%s reads every variable that it is given', (name, variables) => {
    const code = codeOf(ENTRY_OF[name] ?? expect.fail(`${name} has no entry`));
    const isRead = (variable: string) =>
      code.includes(`"${variable}"`) ||
      code.includes(`process.env.${variable}`) ||
      (code.includes('text(queueVariable(') && TASK_NAMES.map(queueVariable).includes(variable));
    expect(variables.filter((variable) => !isRead(variable))).toEqual([]);
  });

  it.each(functions)(
    '%s may read the secrets and fill the queues that its variables name, and no others',
    (name, variables) => {
      const granted = (action: string) => grants.filter((grant) => grant.user === name && grant.action === action);
      expect(granted('secretsmanager:GetSecretValue')).toHaveLength(
        variables.filter((variable) => variable.endsWith('_SECRET_ID')).length,
      );
      expect(granted('sqs:SendMessage')).toHaveLength(
        variables.filter((variable) => variable.includes('QUEUE_URL')).length,
      );
    },
  );
});
