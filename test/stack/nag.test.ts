import { App, Stack, Validations } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { OWN_DATABASE, OWN_DATABASE_IN_VPC, REQUIRED, synthesize } from './synthesized.ts';

interface Acknowledgement {
  readonly path: string;
  readonly id: string;
  readonly reason: string;
}

/** Every rule that lib/ has set aside somewhere in the app, with the reason given; the CDK sets aside some of its own. */
function acknowledgements(root: IConstruct): Acknowledgement[] {
  return root.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(data as Record<string, unknown>))
      .filter(([id]) => id.startsWith('Annotation::'))
      .map(([id, reason]) => ({ path: node.path, id: id.replace('Annotation::', ''), reason: String(reason) })),
  );
}

describe.each([
  ['a database of ours', REQUIRED],
  ['the merchant’s own database', OWN_DATABASE],
  ['the merchant’s own database in its VPC', OWN_DATABASE_IN_VPC],
])('with %s', (_which, context) => {
  const { app, checks } = synthesize(context);

  it('the AwsSolutions rules find nothing', () => {
    expect(checks.validateScope(app)).toMatchObject({ success: true, violations: [] });
  });

  it('nothing warns or fails while it is synthesized', () => {
    const annotations = app.node
      .findAll()
      .flatMap(({ node }) => node.metadata.filter(({ type }) => /^aws:cdk:(warning|error)$/.test(type)));
    expect(annotations).toEqual([]);
  });

  it('every rule that is set aside says why, in a sentence', () => {
    const found = acknowledgements(app);
    expect(found.length).toBeGreaterThan(10);
    for (const { path, id, reason } of found) {
      expect(`${path} ${id}: ${reason}`).toMatch(/: [A-Z].{40,}\.$/);
    }
  });

  it('these rules are set aside and no more', () => {
    const ids = new Set(acknowledgements(app).map(({ id }) => id));
    const always = ['AwsSolutions-APIG4', 'AwsSolutions-IAM5[Resource::*]', 'AwsSolutions-SMG4'];
    const inForeignVpc = 'vpcId' in context ? ['@aws-cdk/aws-ec2:noSubnetRouteTableId'] : [];
    expect([...ids].sort()).toEqual([...inForeignVpc, ...always]);
  });
});

describe('the rules', () => {
  it('do find something where something is wrong', () => {
    const app = new App({ analyticsReporting: false });
    new Bucket(new Stack(app, 'Careless'), 'Open');
    const { success, violations } = new AwsSolutionsChecks(app).validateScope(app);
    expect(success).toBe(false);
    expect(violations.map(({ ruleName }) => ruleName)).toContain('AwsSolutions-S1');
  });
});
