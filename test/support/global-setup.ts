import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { freePort } from '../../bin/local/free-port.ts';
import { startPostgres } from '../../bin/local/postgres.ts';
import { connect } from '../../functions/database/connection.ts';
import { migrate, readMigrations } from '../../functions/database/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser URL of the server's maintenance database. */
    databaseServerUrl: string;
  }
}

/** One real PostgreSQL for the whole run, with a migrated template that each test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await findServer();
  try {
    await prepareTemplate(url);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('databaseServerUrl', url);
  return stop;
}

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** The server at `TEST_DATABASE_URL`, a superuser's URL; without one, a server that is started for this run. */
async function findServer(): Promise<Server> {
  const url = process.env.TEST_DATABASE_URL;
  return url ? { url, stop: async () => undefined } : startServer();
}

async function startServer(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'clink-test-'));
  // Durability is not what these tests are about; the benchmark keeps it on.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };
  const server = await startPostgres({ folder, port: await freePort(), settings });
  return {
    url: server.url('postgres'),
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function prepareTemplate(serverUrl: string): Promise<void> {
  const admin = postgres(serverUrl, { max: 1, onnotice: () => undefined });
  // A server that outlives its runs has the template of an earlier one.
  await admin`DROP DATABASE IF EXISTS template_payments WITH (FORCE)`;
  await admin`CREATE DATABASE template_payments`;
  const template = connect({ url: Object.assign(new URL(serverUrl), { pathname: 'template_payments' }).href, max: 1 });
  await migrate(template, await readMigrations(join(import.meta.dirname, '../../migrations')));
  await template.end();
  await admin`ALTER ROLE payments_app PASSWORD 'payments_app'`;
  await admin.end();
}
