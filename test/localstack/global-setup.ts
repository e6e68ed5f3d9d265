import type { TestProject } from 'vitest/node';
import '../support/localstack.ts';

const DEFAULT_URL = 'http://127.0.0.1:4566';

/** Finds the LocalStack at `AWS_ENDPOINT_URL`; throws when none answers. */
export default async function setup(project: TestProject): Promise<void> {
  const url = process.env.AWS_ENDPOINT_URL ?? DEFAULT_URL;
  await expectLocalStack(url);
  project.provide('localStackUrl', url);
}

async function expectLocalStack(url: string): Promise<void> {
  const answer = await fetch(new URL('/_localstack/health', url)).catch(() => null);
  if (answer?.ok) return;
  throw new Error(
    `No LocalStack answers at ${url}: start it with \`docker compose -f test/localstack/compose.yaml up --wait\`, ` +
      'run the tests with `test/localstack/run-without-docker`, or set AWS_ENDPOINT_URL.',
  );
}
