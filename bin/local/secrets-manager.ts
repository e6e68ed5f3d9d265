import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import {
  addVersion,
  moveStage,
  type Secret,
  SecretStore,
  SecretsFault,
  type Version,
  versionWith,
} from './secret-store.ts';

export interface LocalSecretsManager {
  readonly url: string;
  /** Makes the secret, or rotates it: what was current becomes the previous value. */
  put(name: string, value: string): void;
  close(): Promise<void>;
}

/** The calls of AWS Secrets Manager that this project uses, over its real protocol (AWS JSON 1.1). Port 0 takes a free one. */
export async function startSecretsManager({ port }: { port: number }): Promise<LocalSecretsManager> {
  const store = new SecretStore();
  const server = createServer((request, response) => void answer(store, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${actualPort}`,
    put: (name, value) => void addVersion(store.findOrCreate(name), value, ['AWSCURRENT']),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Input = Readonly<Record<string, unknown>>;

const OPERATIONS: ReadonlyMap<string, (store: SecretStore, input: Input) => object> = new Map([
  ['GetSecretValue', getSecretValue],
  ['CreateSecret', createSecret],
  ['PutSecretValue', putSecretValue],
  ['UpdateSecretVersionStage', updateSecretVersionStage],
]);

async function answer(store: SecretStore, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = String(request.headers['x-amz-target']).replace('secretsmanager.', '');
  const operation = OPERATIONS.get(target);
  try {
    const input = (await json(request)) as Input;
    if (!operation) throw new SecretsFault('InvalidParameterException', 'This operation is not served here.');
    reply(response, 200, operation(store, input));
  } catch (error) {
    const known = error instanceof SecretsFault;
    const __type = known ? error.code : 'InternalServiceError';
    reply(response, known ? 400 : 500, { __type, message: known ? error.message : 'Internal error.' });
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
}

function getSecretValue(store: SecretStore, input: Input): object {
  const secret = store.find(text(input, 'SecretId'));
  const version = versionWith(secret, optionalText(input, 'VersionStage') ?? 'AWSCURRENT');
  if (!version) throw new SecretsFault('ResourceNotFoundException', 'No version of the secret has this label.');
  // The protocol counts seconds.
  return { ...describe(secret, version), SecretString: version.value, CreatedDate: version.createdAt / 1000 };
}

function createSecret(store: SecretStore, input: Input): object {
  const value = text(input, 'SecretString');
  const secret = store.create(text(input, 'Name'));
  return describe(secret, addVersion(secret, value, ['AWSCURRENT'], text(input, 'ClientRequestToken')));
}

function putSecretValue(store: SecretStore, input: Input): object {
  const secret = store.find(text(input, 'SecretId'));
  const stages = Array.isArray(input.VersionStages) ? input.VersionStages.map(String) : ['AWSCURRENT'];
  const version = addVersion(secret, text(input, 'SecretString'), stages, text(input, 'ClientRequestToken'));
  return describe(secret, version);
}

function updateSecretVersionStage(store: SecretStore, input: Input): object {
  const secret = store.find(text(input, 'SecretId'));
  const [toId, fromId] = [optionalText(input, 'MoveToVersionId'), optionalText(input, 'RemoveFromVersionId')];
  moveStage(secret, text(input, 'VersionStage'), toId, fromId);
  return { ARN: secret.arn, Name: secret.name };
}

function describe({ arn, name }: Secret, { id, stages }: Version): object {
  return { ARN: arn, Name: name, VersionId: id, VersionStages: [...stages] };
}

function text(input: Input, field: string): string {
  const value = optionalText(input, field);
  if (value === null) throw new SecretsFault('InvalidParameterException', `${field} is missing.`);
  return value;
}

function optionalText(input: Input, field: string): string | null {
  const value = input[field];
  return typeof value === 'string' && value !== '' ? value : null;
}
