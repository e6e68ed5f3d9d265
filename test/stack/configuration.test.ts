import { describe, expect, it } from 'vitest';
import { ConfigurationError, OPTIONS, type Option, readConfiguration } from '../../lib/configuration.ts';
import { OWN_DATABASE, OWN_DATABASE_IN_VPC, OWN_DATABASE_WITH_KEY, REQUIRED } from './synthesized.ts';
import { expectWritten, table } from './written-section.ts';

type Name = keyof typeof OPTIONS;
const names = Object.keys(OPTIONS) as Name[];

function read(context: Partial<Record<Name, unknown>>) {
  return readConfiguration((name) => context[name as Name]);
}

/** The sentences that a context is refused with; none when it is taken. */
function problems(context: Partial<Record<Name, unknown>>): string[] {
  try {
    read(context);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message.split('\n');
  }
}

const SECRET_ARN = OWN_DATABASE.databaseSecretArn;

/** What each option takes, as text and as it is read, and what it refuses. */
const VALUES: Readonly<Record<Name, { good: readonly [string, unknown][]; bad: readonly string[] }>> = {
  jwtIssuer: {
    good: [
      ['https://sign-in.shop.example', 'https://sign-in.shop.example'],
      ['https://tenant.issuer.example/', 'https://tenant.issuer.example/'],
    ],
    bad: ['', 'sign-in.shop.example', 'http://sign-in.shop.example', 'ftp://shop.example'],
  },
  jwtAudience: {
    good: [
      ['shop', ['shop']],
      ['shop, app', ['shop', 'app']],
    ],
    bad: ['', ',', 'shop,', 'a b'],
  },
  shopOrigin: {
    good: [
      ['https://shop.example', 'https://shop.example'],
      ['https://shop.example:8443', 'https://shop.example:8443'],
    ],
    bad: ['', '*', 'https://shop.example/', 'https://shop.example/basket', 'http://shop.example'],
  },
  successUrl: {
    good: [['https://shop.example/thanks?from=clink', 'https://shop.example/thanks?from=clink']],
    bad: ['', '/thanks', 'http://shop.example/thanks'],
  },
  cancelUrl: {
    good: [['http://localhost:3000/basket', 'http://localhost:3000/basket']],
    bad: ['', '/basket', 'http://shop.example/basket'],
  },
  merchantUrl: {
    good: [['https://shop.example/clink/', 'https://shop.example/clink']],
    bad: ['', 'http://shop.example/clink', 'https://shop.example/clink?key=1', 'https://shop.example/#top'],
  },
  clinkApiUrl: {
    good: [['https://api.clinkbill.com/api', 'https://api.clinkbill.com/api']],
    bad: ['', 'http://api.clinkbill.com/api', 'https://api.clinkbill.com/api?v=1'],
  },
  alarmEmail: {
    good: [
      ['', ''],
      ['oncall@shop.example', 'oncall@shop.example'],
    ],
    bad: ['oncall', 'a@b@c', 'on call@shop.example'],
  },
  webhooksSilentHours: {
    good: [
      ['0', 0],
      ['168', 168],
    ],
    bad: ['', '169', '1.5', 'never'],
  },
  minCapacity: {
    good: [
      ['0.5', 0.5],
      ['2', 2],
    ],
    bad: ['', '0', '-1', '0.7', '1e1', 'small', '256.5'],
  },
  maxCapacity: {
    good: [
      ['1', 1],
      ['256', 256],
    ],
    bad: ['', '0.5', '1.2', '257', 'NaN'],
  },
  workersPerTask: {
    good: [
      ['2', 2],
      ['1000', 1000],
    ],
    bad: ['', '1', '2.5', '1001', 'many'],
  },
  replayWindowMinutes: {
    good: [
      ['1', 1],
      ['7.5', 7.5],
      ['1440', 1440],
    ],
    bad: ['', '0', '1441', '5m'],
  },
  previousSecretHours: {
    good: [
      ['1', 1],
      ['168', 168],
    ],
    bad: ['', '0', '169', 'a day'],
  },
  retentionDays: {
    good: [
      ['7', 7],
      ['3650', 3650],
    ],
    bad: ['', '6', '3651', '30.5', 'for ever'],
  },
  databaseSecretArn: {
    good: [
      ['', ''],
      [SECRET_ARN, SECRET_ARN],
    ],
    bad: [
      'payments-database',
      'arn:aws:rds:eu-central-1:123456789012:cluster:payments',
      'arn:aws:secretsmanager:eu-central-1:123456789012:secret:database',
    ],
  },
  databaseSecretKeyArn: {
    good: [['', '']],
    bad: ['my-key', 'arn:aws:kms:eu-central-1:123456789012:alias/database'],
  },
  vpcId: { good: [['', '']], bad: ['my-vpc', 'vpc-', 'subnet-0123456789abcdef0'] },
  privateSubnetIds: { good: [['', []]], bad: ['my-subnet', 'subnet-0123456789abcdef0,', 'vpc-0123456789abcdef0'] },
  databaseSecurityGroupId: { good: [['', '']], bad: ['default', 'sg-', 'vpc-0123456789abcdef0'] },
};

describe.each(names)('option %s', (name) => {
  it.each(VALUES[name].good)('takes "%s"', (text, value) => {
    expect(read({ ...REQUIRED, [name]: text })[name]).toEqual(value);
  });

  it.each(VALUES[name].bad)('refuses "%s" with a sentence', (text) => {
    const sentences = problems({ ...REQUIRED, [name]: text }).filter((sentence) =>
      sentence.startsWith(`${name} must be `),
    );
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toMatch(/^\w+ must be (an?|the) .+\.$/);
  });

  it('is explained, and says whom it is for', () => {
    const { meaning, forWhom } = OPTIONS[name];
    expect(meaning.length).toBeGreaterThan(20);
    expect(forWhom.length).toBeGreaterThan(5);
  });

  const { fallback }: Option<unknown> = OPTIONS[name];
  if (fallback === undefined) {
    it('must be given', () => {
      expect(problems({ ...REQUIRED, [name]: undefined })).toEqual([`${name} is missing: give it with -c ${name}=….`]);
    });
  } else {
    it('has a default that it takes itself', () => {
      expect(read(REQUIRED)[name]).toEqual(OPTIONS[name].read(fallback));
    });
  }
});

describe('the context', () => {
  it('is taken with numbers as with texts: cdk.json has both', () => {
    expect(read({ ...REQUIRED, minCapacity: 2, workersPerTask: 20 })).toMatchObject({
      minCapacity: 2,
      workersPerTask: 20,
    });
  });

  it('is refused with all of its problems at once', () => {
    expect(problems({ jwtIssuer: 'me', minCapacity: 'small', alarmEmail: 'oncall' })).toEqual([
      'jwtIssuer must be an https:// address.',
      'jwtAudience is missing: give it with -c jwtAudience=….',
      'shopOrigin is missing: give it with -c shopOrigin=….',
      'successUrl is missing: give it with -c successUrl=….',
      'cancelUrl is missing: give it with -c cancelUrl=….',
      'merchantUrl is missing: give it with -c merchantUrl=….',
      'alarmEmail must be an email address.',
      'minCapacity must be a number from 0.5 to 256, in steps of 0.5.',
    ]);
  });

  it('takes a database of the merchant’s own, with and without its network', () => {
    expect(read(OWN_DATABASE)).toMatchObject({ databaseSecretArn: SECRET_ARN, privateSubnetIds: [] });
    expect(read(OWN_DATABASE_IN_VPC).privateSubnetIds).toHaveLength(2);
  });

  it('is refused when its sizes contradict each other', () => {
    expect(problems({ ...REQUIRED, minCapacity: '4', maxCapacity: '2' })).toEqual([
      'minCapacity must not be above maxCapacity.',
    ]);
    expect(problems({ ...REQUIRED, minCapacity: '2', maxCapacity: '2' })).toEqual([]);
  });

  it.each(['vpcId', 'privateSubnetIds', 'databaseSecurityGroupId'] as const)(
    'is refused when of the network %s is left out',
    (name) => {
      expect(problems({ ...OWN_DATABASE_IN_VPC, [name]: undefined })).toEqual([
        'vpcId, privateSubnetIds and databaseSecurityGroupId go together: give all three or none.',
      ]);
    },
  );

  it('is refused when it names a network and no database in it', () => {
    expect(problems({ ...OWN_DATABASE_IN_VPC, databaseSecretArn: undefined })).toEqual([
      'vpcId is for a database of your own: give databaseSecretArn too.',
    ]);
  });

  it('takes the key of a database’s secret with that secret alone', () => {
    const databaseSecretKeyArn = OWN_DATABASE_WITH_KEY.databaseSecretKeyArn;
    expect(read(OWN_DATABASE_WITH_KEY)).toMatchObject({ databaseSecretKeyArn });
    expect(problems({ ...REQUIRED, databaseSecretKeyArn })).toEqual([
      'databaseSecretKeyArn is for a database of your own: give databaseSecretArn too.',
    ]);
  });

  it('is told of a slip in one value as that and nothing more', () => {
    expect(problems({ ...OWN_DATABASE_IN_VPC, vpcId: 'my-vpc' })).toEqual(['vpcId must be a VPC id.']);
  });
});

describe('the README', () => {
  it('lists every option as it is', () => {
    const rows = names.map((name) => {
      const { fallback, meaning, forWhom }: Option<unknown> = OPTIONS[name];
      const shown = fallback === undefined ? 'must be given' : fallback === '' ? 'none' : `\`${fallback}\``;
      return [`\`${name}\``, shown, meaning, forWhom];
    });
    expectWritten('README.md', 'options', table(['Option', 'Default', 'Meaning', 'Who sets it'], rows));
  });
});
