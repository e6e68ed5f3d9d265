import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { freePort } from '../../bin/local/free-port.ts';
import { type LocalPostgres, startPostgres } from '../../bin/local/postgres.ts';
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
  const folder = await mkdtemp(join(tmpdir(), 'clink-test-'));
  // Durability is not what these tests are about; the benchmark keeps it on.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' };
  const server = await startPostgres({ folder, port: await freePort(), settings });

  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await prepareTemplate(server);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('databaseServerUrl', server.url('postgres'));
  return stop;
}

async function prepareTemplate(server: LocalPostgres): Promise<void> {
  const admin = postgres(server.url('postgres'), { max: 1, onnotice: () => undefined });
  await admin`CREATE DATABASE template_payments`;
  const template = connect({ url: server.url('template_payments'), max: 1 });
  await migrate(template, await readMigrations(join(import.meta.dirname, '../../migrations')));
  await template.end();
  await admin`ALTER ROLE payments_app PASSWORD 'payments_app'`;
  await admin.end();
}
