import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { connect, type Sql } from '../../functions/database/connection.ts';
import { migrate, readMigrations } from '../../functions/database/migrate.ts';
import { untilBlocked } from '../support/collision.ts';

const ONE = { name: '0001_one.sql', text: 'CREATE TABLE one (id INT); INSERT INTO one VALUES (1);' };
const TWO = { name: '0002_two.sql', text: 'ALTER TABLE one ADD COLUMN two INT;' };

let admin: postgres.Sql;
const pools: Sql[] = [];
beforeAll(() => {
  admin = postgres(inject('databaseServerUrl'), { max: 1, onnotice: () => undefined });
});
afterAll(async () => {
  await Promise.all(pools.map((sql) => sql.end()));
  await admin.end();
});

async function emptyDatabase(name: string): Promise<Sql> {
  await admin.unsafe(`CREATE DATABASE ${name}`);
  const sql = connect({ url: Object.assign(new URL(inject('databaseServerUrl')), { pathname: name }).href, max: 3 });
  pools.push(sql);
  return sql;
}

describe('the migrator', () => {
  it('applies what is missing once, in order', async () => {
    const sql = await emptyDatabase('migrate_once');
    expect(await migrate(sql, [ONE])).toEqual([ONE.name]);
    expect(await migrate(sql, [ONE, TWO])).toEqual([TWO.name]);
    expect(await migrate(sql, [ONE, TWO])).toEqual([]);
    expect(await sql`SELECT id, two FROM one`).toEqual([{ id: 1, two: null }]);
  });

  it('applies each migration once when two run at the same time', async () => {
    const sql = await emptyDatabase('migrate_twice');
    const runs = await Promise.all([migrate(sql, [ONE, TWO]), migrate(sql, [ONE, TWO])]);
    expect(runs.flat().sort()).toEqual([ONE.name, TWO.name]);
  });

  it('leaves the schema as it was when one fails', async () => {
    const sql = await emptyDatabase('migrate_fails');
    const broken = { name: '0002_broken.sql', text: 'CREATE TABLE two (id INT); SELECT 1/0;' };
    await expect(migrate(sql, [ONE, broken])).rejects.toMatchObject({ code: '22012' });
    expect(await sql`SELECT to_regclass('one') AS one, to_regclass('two') AS two`).toEqual([{ one: null, two: null }]);
  });

  it('comes through a deadlock with who works on the tables meanwhile', async () => {
    const sql = await emptyDatabase('migrate_deadlock');
    await migrate(sql, [ONE, { name: '0002_other.sql', text: 'CREATE TABLE other (id INT);' }]);
    const both = {
      name: '0003_both.sql',
      text: 'ALTER TABLE one ADD COLUMN two INT; ALTER TABLE other ADD COLUMN two INT;',
    };

    const worker = await sql.reserve();
    // Who waits longer than this looks for a deadlock, and gives way: the migration does, not the worker.
    await worker`SET deadlock_timeout = '1min'`;
    await worker`BEGIN`;
    await worker`SELECT FROM other`;
    const migrated = migrate(sql, [both]);
    await untilBlocked(sql, 1);
    await worker`SELECT FROM one`;
    await worker`COMMIT`;
    worker.release();

    expect(await migrated).toEqual([both.name]);
  });

  it('accepts a database that is ahead of the code', async () => {
    const sql = await emptyDatabase('migrate_ahead');
    await migrate(sql, [ONE, TWO]);
    expect(await migrate(sql, [ONE])).toEqual([]);
  });

  it('refuses a migration that was changed after it had been applied', async () => {
    const sql = await emptyDatabase('migrate_changed');
    await migrate(sql, [ONE]);
    await expect(migrate(sql, [{ ...ONE, text: `${ONE.text} ` }])).rejects.toThrow(ONE.name);
  });

  it('reads the project’s own migrations in the order of their names', async () => {
    const names = (await readMigrations(join(import.meta.dirname, '../../migrations'))).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(names).toEqual([...names].sort());
    expect(names.every((name) => /^\d{4}_[a-z_]+\.sql$/.test(name))).toBe(true);
  });
});
