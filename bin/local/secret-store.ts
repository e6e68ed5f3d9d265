import { randomUUID } from 'node:crypto';

/** An error that Secrets Manager itself would answer with. */
export class SecretsFault extends Error {
  readonly code: 'ResourceNotFoundException' | 'ResourceExistsException' | 'InvalidParameterException';

  constructor(code: SecretsFault['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export interface Version {
  readonly id: string;
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly stages: Set<string>;
}

export interface Secret {
  readonly name: string;
  readonly arn: string;
  readonly versions: Version[];
}

/** Secrets and their versions in memory; staging labels move as in AWS. */
export class SecretStore {
  readonly #secrets = new Map<string, Secret>();

  create(name: string): Secret {
    if (this.#secrets.has(name)) throw new SecretsFault('ResourceExistsException', 'The secret exists already.');
    const arn = `arn:aws:secretsmanager:local:000000000000:secret:${name}-local1`;
    const secret: Secret = { name, arn, versions: [] };
    this.#secrets.set(name, secret);
    return secret;
  }

  /** By name or ARN. */
  find(id: string): Secret {
    const secret = this.#secrets.get(id) ?? this.#secrets.values().find(({ arn }) => arn === id);
    if (secret === undefined) throw new SecretsFault('ResourceNotFoundException', 'There is no such secret.');
    return secret;
  }

  /** The secret of this name, made when it is not there. */
  findOrCreate(name: string): Secret {
    return this.#secrets.get(name) ?? this.create(name);
  }
}

export function addVersion(
  secret: Secret,
  value: string,
  stages: readonly string[],
  id: string = randomUUID(),
): Version {
  const version: Version = { id, value, createdAt: Date.now(), stages: new Set() };
  secret.versions.push(version);
  for (const stage of stages) attach(secret, version, stage);
  return version;
}

/** `RemoveFromVersionId` must name the label's holder, so that two rotations at once cannot overwrite each other. */
export function moveStage(secret: Secret, stage: string, toId: string | null, fromId: string | null): void {
  const holder = versionWith(secret, stage);
  if (holder && holder.id !== fromId && holder.id !== toId) {
    throw new SecretsFault('InvalidParameterException', 'The label is on another version.');
  }
  const target = secret.versions.find(({ id }) => id === toId);
  if (toId !== null && !target) throw new SecretsFault('ResourceNotFoundException', 'There is no such version.');
  holder?.stages.delete(stage);
  target?.stages.add(stage);
  if (stage === 'AWSCURRENT' && target && holder && holder !== target) attach(secret, holder, 'AWSPREVIOUS');
}

export function versionWith(secret: Secret, stage: string): Version | undefined {
  return secret.versions.find(({ stages }) => stages.has(stage));
}

/** A label is on one version at a time; what was current becomes the previous one. */
function attach(secret: Secret, version: Version, stage: string): void {
  moveStage(secret, stage, version.id, versionWith(secret, stage)?.id ?? null);
}
