import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll } from 'vitest';
import { addStacks } from '../../lib/payments-app.ts';

/** What every merchant gives. */
export const REQUIRED = {
  jwtIssuer: 'https://sign-in.shop.example/',
  jwtAudience: 'shop',
  shopOrigin: 'https://shop.example',
  successUrl: 'https://shop.example/thanks',
  cancelUrl: 'https://shop.example/basket',
  merchantUrl: 'https://shop.example/clink',
} as const;

export const OWN_DATABASE = {
  ...REQUIRED,
  databaseSecretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:payments-database-AbCdEf',
} as const;

export const OWN_DATABASE_IN_VPC = {
  ...OWN_DATABASE,
  vpcId: 'vpc-0123456789abcdef0',
  privateSubnetIds: 'subnet-0123456789abcdef0,subnet-0123456789abcdef1',
  databaseSecurityGroupId: 'sg-0123456789abcdef0',
} as const;

export const OWN_DATABASE_WITH_KEY = {
  ...OWN_DATABASE,
  databaseSecretKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef',
} as const;

/** A part of a template: whatever is below a name may be missing. */
export interface Part {
  readonly [name: string]: Part | undefined;
}

export interface Resource {
  readonly Type: string;
  readonly Properties: Part;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly Metadata?: Record<string, string>;
}

export interface Synthesized {
  readonly app: App;
  readonly checks: AwsSolutionsChecks;
  readonly folder: string;
  /** The stack's whole template as JSON. */
  template(stack: StackName): Record<string, unknown>;
  /** All resources of a type, by logical id. */
  resources(stack: StackName, type: string): Record<string, Resource>;
}

export type StackName = 'ClinkPayments' | 'ClinkPaymentsData';

/** As the CDK's command line asks for it: each resource says where it stands in the tree, and where its code lies. */
const METADATA = { 'aws:cdk:enable-path-metadata': true, 'aws:cdk:enable-asset-metadata': true };

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Synthesizes the app as `cdk deploy` does. Bundling takes seconds, so only who looks into bundles asks for it. */
export function synthesize(
  context: Readonly<Record<string, string>>,
  { withBundles = false }: { withBundles?: boolean } = {},
): Synthesized {
  const { context: flags } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8')) as {
    context: Record<string, unknown>;
  };
  const app = new App({
    context: { ...flags, ...METADATA, ...context, ...(!withBundles && { 'aws:cdk:bundling-stacks': [] }) },
    analyticsReporting: false,
  });
  const checks = addStacks(app);
  const assembly = app.synth();
  folders.push(assembly.directory);
  const template = (stack: StackName): Record<string, unknown> => assembly.getStackByName(stack).template;
  return {
    app,
    checks,
    folder: assembly.directory,
    template,
    resources: (stack, type) => Template.fromJSON(template(stack)).findResources(type) as Record<string, Resource>,
  };
}
