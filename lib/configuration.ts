import { baseUrl, httpsUrl, issuer, list, matching, numberBetween, origin } from './option-readers.ts';

/** What a merchant sets with `-c name=value`. Each option says who needs it; `docs` and the README's table are held to this list. */
export interface Option<T> {
  readonly meaning: string;
  /** Who sets it, and when. */
  readonly forWhom: string;
  /** Shown in the README; undefined for an option that must be given. */
  readonly fallback?: string;
  /** Throws an error whose message finishes the sentence "<name> must be …". */
  readonly read: (text: string) => T;
}

const option = <T>(given: Option<T>): Option<T> => given;

export const OPTIONS = {
  jwtIssuer: option({
    meaning: 'Issuer of the tokens that your shop’s customers sign in with, to the letter as in their `iss`',
    forWhom: 'everyone',
    read: issuer,
  }),
  jwtAudience: option({
    meaning: 'Audiences that those tokens may have, separated by commas',
    forWhom: 'everyone',
    read: list(matching(/^\S+$/, 'a list of audiences without blanks')),
  }),
  shopOrigin: option({
    meaning: 'Origin that your shop’s pages call the API from',
    forWhom: 'everyone',
    read: origin,
  }),
  successUrl: option({
    meaning: 'Page that a shopper comes back to after paying; `orderId` is added to it',
    forWhom: 'everyone',
    read: httpsUrl,
  }),
  cancelUrl: option({
    meaning: 'Page that a shopper comes back to without paying; `orderId` is added to it',
    forWhom: 'everyone',
    read: httpsUrl,
  }),
  merchantUrl: option({
    meaning: 'Your endpoint that delivers orders and takes refunds, cases and alerts',
    forWhom: 'everyone',
    read: baseUrl,
  }),
  clinkApiUrl: option({
    meaning: 'Clink’s API, with the path it starts from',
    forWhom: 'whoever goes live: the default is the sandbox',
    fallback: 'https://uat-api.clinkbill.com/api',
    read: baseUrl,
  }),
  alarmEmail: option({
    meaning: 'Address that alarms are sent to; more subscribers can be added to the topic',
    forWhom: 'everyone who operates this without another pager on the topic',
    fallback: '',
    read: matching(/^$|^[^@\s]+@[^@\s]+$/, 'an email address'),
  }),
  webhooksSilentHours: option({
    meaning: 'Hours without any webhook after which an alarm begins; 0 for none',
    forWhom: 'whoever sells many times a day and wants to know sooner, or less than daily and does not want to know',
    fallback: '24',
    read: numberBetween(0, 168, 1),
  }),
  minCapacity: option({
    meaning:
      'Smallest size of the database in Aurora capacity units; it never pauses, since tasks are looked for every minute',
    forWhom: 'whoever weighs the monthly cost against how quickly a rush is served',
    fallback: '0.5',
    read: numberBetween(0.5, 256, 0.5),
  }),
  maxCapacity: option({
    meaning: 'Largest size of the database in Aurora capacity units',
    forWhom: 'whoever sells more than a small shop',
    fallback: '8',
    read: numberBetween(1, 256, 0.5),
  }),
  workersPerTask: option({
    meaning: 'Workers of one task that may run at once; also the most of its rows that are in flight',
    forWhom: 'whoever has to spare their own endpoint or has a large backlog',
    fallback: '10',
    read: numberBetween(2, 1000, 1),
  }),
  replayWindowMinutes: option({
    meaning: 'How far a webhook’s timestamp may lie from now',
    forWhom: 'whoever sees the alarm on stale but authentic deliveries',
    fallback: '5',
    read: numberBetween(1, 1440),
  }),
  previousSecretHours: option({
    meaning: 'How long after a rotation the previous Clink secrets are still accepted',
    forWhom: 'the security reviewer',
    fallback: '24',
    read: numberBetween(1, 168),
  }),
  retentionDays: option({
    meaning:
      'Days after which finished tasks and the bodies of processed webhooks are deleted; orders, payments, refunds, cases and the journal stay',
    forWhom: 'whoever must keep evidence for longer, or personal data for less long',
    fallback: '90',
    read: numberBetween(7, 3650, 1),
  }),
  databaseSecretArn: option({
    meaning:
      'Secret with `host`, `port`, `dbname`, `username` and `password` of a PostgreSQL of your own, used instead of a new Aurora cluster',
    forWhom: 'whoever has a cluster already',
    fallback: '',
    read: matching(
      /^$|^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:\S+-[A-Za-z0-9]{6}$/,
      'the whole ARN of a secret, with the six letters at its end',
    ),
  }),
  databaseSecretKeyArn: option({
    meaning: 'KMS key of your own that encrypts that secret; the functions may decrypt that one secret with it',
    forWhom: 'whoever does not encrypt that secret with the key that AWS manages',
    fallback: '',
    read: matching(/^$|^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/, 'the ARN of a key, and not of an alias'),
  }),
  vpcId: option({
    meaning: 'VPC of that PostgreSQL; without it the functions run outside of any VPC',
    forWhom: 'whoever has a cluster already',
    fallback: '',
    read: matching(/^$|^vpc-[0-9a-f]+$/, 'a VPC id'),
  }),
  privateSubnetIds: option({
    meaning: 'Subnets with a way to the internet (NAT) for the functions in that VPC, separated by commas',
    forWhom: 'whoever has a cluster already',
    fallback: '',
    read: (text: string) => (text === '' ? [] : list(matching(/^subnet-[0-9a-f]+$/, 'a list of subnet ids'))(text)),
  }),
  databaseSecurityGroupId: option({
    meaning: 'Security group of that PostgreSQL; the functions are let in on its port 5432',
    forWhom: 'whoever has a cluster already',
    fallback: '',
    read: matching(/^$|^sg-[0-9a-f]+$/, 'a security group id'),
  }),
} as const;

export type Configuration = { readonly [Name in keyof typeof OPTIONS]: ReturnType<(typeof OPTIONS)[Name]['read']> };

/** Every problem with the context at once, each as a sentence that says what to do. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** Reads the context of `cdk deploy`. Throws `ConfigurationError`. */
export function readConfiguration(contextOf: (name: string) => unknown): Configuration {
  const problems: string[] = [];
  const entries = Object.entries(OPTIONS).map(([name, { fallback, read }]: [string, Option<unknown>]) => {
    const given = contextOf(name) ?? fallback;
    if (given === undefined) {
      problems.push(`${name} is missing: give it with -c ${name}=….`);
      return [name, undefined] as const;
    }
    try {
      return [name, read(String(given))] as const;
    } catch (error) {
      problems.push(`${name} must be ${error instanceof Error ? error.message : 'another value'}.`);
      return [name, undefined] as const;
    }
  });
  const configuration = Object.fromEntries(entries) as Configuration;
  problems.push(...contradictions(configuration, (name) => String(contextOf(name) ?? '') !== ''));
  if (problems.length > 0) throw new ConfigurationError(problems.join('\n'));
  return configuration;
}

/** Of what was given, well formed or not, so that a slip in one value is not told as the lack of it. */
function contradictions(
  { minCapacity, maxCapacity }: Configuration,
  isGiven: (name: keyof Configuration) => boolean,
): string[] {
  const network = [isGiven('vpcId'), isGiven('privateSubnetIds'), isGiven('databaseSecurityGroupId')];
  return [
    minCapacity > maxCapacity && 'minCapacity must not be above maxCapacity.',
    new Set(network).size > 1 &&
      'vpcId, privateSubnetIds and databaseSecurityGroupId go together: give all three or none.',
    isGiven('vpcId') &&
      !isGiven('databaseSecretArn') &&
      'vpcId is for a database of your own: give databaseSecretArn too.',
    isGiven('databaseSecretKeyArn') &&
      !isGiven('databaseSecretArn') &&
      'databaseSecretKeyArn is for a database of your own: give databaseSecretArn too.',
  ].filter((problem) => problem !== false);
}
