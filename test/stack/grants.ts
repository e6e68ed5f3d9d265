import type { Resource } from './synthesized.ts';

/** One thing that a function may do to one resource. */
export interface Grant {
  readonly user: string;
  readonly action: string;
  readonly resource: string;
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

type Resources = Readonly<Record<string, Resource>>;

/** Every grant of every function's role in a template, in the template's own names and sorted. */
export function grantsOf(resources: Resources): Grant[] {
  const roles = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::IAM::Role');
  const users = new Map(roles.map(([id]) => [id, userOf(resources, id)]));
  const grants = roles.flatMap(([id, role]) =>
    statementsOf(resources, id, role).flatMap((statement) => {
      if (statement.Effect !== 'Allow') return [];
      const actions = [statement.Action].flat();
      const granted = listed(statement.Resource).map((resource) => text(resources, resource));
      return actions.flatMap((action) => granted.map((resource) => ({ user: users.get(id) ?? id, action, resource })));
    }),
  );
  const key = ({ user, action, resource }: Grant) => `${user} ${resource} ${action}`;
  return grants.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

function statementsOf(resources: Resources, roleId: string, role: Resource): Statement[] {
  const attached = Object.values(resources).filter(
    ({ Type, Properties }) => Type === 'AWS::IAM::Policy' && JSON.stringify(Properties.Roles).includes(`"${roleId}"`),
  );
  const inline = listed(role.Properties.Policies).map((policy) => Object(policy).PolicyDocument);
  const documents = [...attached.map(({ Properties }) => Properties.PolicyDocument), ...inline];
  const managed = listed(role.Properties.ManagedPolicyArns).map((arn) => ({
    Effect: 'Allow',
    Action: '(managed policy)',
    Resource: arn,
  }));
  return [...documents.flatMap((document) => listed(Object(document).Statement) as Statement[]), ...managed];
}

/** The function that works with the role, or else the role itself. */
function userOf(resources: Resources, roleId: string): string {
  const user = Object.entries(resources).find(
    ([, { Type, Properties }]) =>
      Type === 'AWS::Lambda::Function' && JSON.stringify(Properties.Role ?? '').includes(`"${roleId}"`),
  );
  return nameOf(resources, user?.[0] ?? roleId);
}

/** What a reader of the template finds it by: its path in the tree of constructs. */
export function nameOf(resources: Resources, id: string): string {
  const path = resources[id]?.Metadata?.['aws:cdk:path'] ?? id;
  return (
    path
      .split('/')
      .slice(1)
      .filter((part) => part !== 'Resource')
      .join('/') || id
  );
}

/** A value of a template as one would write it: references by name, in braces. */
export function text(resources: Resources, value: unknown): string {
  if (typeof value === 'string') return value;
  const [[intrinsic, argument] = ['', '']] = Object.entries(Object(value)) as [string, unknown][];
  if (intrinsic === 'Ref') return `{${nameOf(resources, String(argument)).replace('AWS::', '')}}`;
  if (intrinsic === 'Fn::GetAtt') return `{${nameOf(resources, String((argument as string[])[0]))}}`;
  if (intrinsic === 'Fn::ImportValue')
    return `{${String(argument)
      .replace(/:ExportsOutput(Ref|FnGetAtt)/, ': ')
      .replace(/[0-9A-F]{8}/g, ' ')
      .trim()}}`;
  if (intrinsic === 'Fn::Sub') return String(argument).replaceAll('${AWS::', '{').replaceAll('${', '{');
  if (intrinsic === 'Fn::Join') {
    const [separator, parts] = argument as [string, unknown[]];
    return parts.map((part) => text(resources, part)).join(separator);
  }
  throw new Error(`a template value of a kind that no grant has had: ${JSON.stringify(value)}`);
}

function listed(value: unknown): unknown[] {
  return value === undefined ? [] : [value].flat();
}
