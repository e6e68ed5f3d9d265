import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../bin/local/free-port.ts';
import { connect } from '../../functions/database/connection.ts';
import { inTransaction } from '../../functions/database/transaction.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase(1);
});
afterAll(() => db.drop());

const product = (id: string, unitAmount = 100) => ({ id, name: 'Poster', unitAmount, currency: 'USD' });

describe('a transaction', () => {
  it('commits what it read, wrote and left pending', async () => {
    const result = await inTransaction(db.owner, async (tx) => {
      const [row] = await tx`SELECT 1 AS one`;
      return { result: row?.one, writes: [tx`INSERT INTO products ${tx(product('p1'))}`] };
    });
    expect(result).toBe(1);
    expect(await db.owner`SELECT name FROM products WHERE id = 'p1'`).toHaveLength(1);
  });

  it('writes nothing when its last write fails, and says which failure came first', async () => {
    const run = inTransaction(db.owner, async (tx) => ({
      result: null,
      writes: [
        tx`INSERT INTO products ${tx(product('p2'))}`,
        tx`INSERT INTO products ${tx(product('p3', 0))}`,
        tx`INSERT INTO products ${tx(product('p4'))}`,
      ],
    }));
    await expect(run).rejects.toMatchObject({ code: '23514' });
    expect(await db.owner`SELECT id FROM products WHERE id IN ('p2', 'p3', 'p4')`).toHaveLength(0);
  });

  it('rolls back when its work throws, and leaves the connection usable', async () => {
    const run = inTransaction(db.owner, async (tx) => {
      await tx`INSERT INTO products ${tx(product('p5'))}`;
      throw new Error('decided otherwise');
    });
    await expect(run).rejects.toThrow('decided otherwise');
    expect(await db.owner`SELECT id FROM products WHERE id = 'p5'`).toHaveLength(0);
  });

  it('fails when its connection is cut between reading and writing, and the pool goes on with a new one', async () => {
    const other = connect({ url: db.ownerUrl, max: 1 });
    const cut = inTransaction(db.owner, async (tx) => {
      const [row] = await tx<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
      await other`SELECT pg_terminate_backend(${row?.pid ?? 0}, 5000)`;
      return { result: null, writes: [tx`INSERT INTO products ${tx(product('p6'))}`] };
    });
    await expect(cut).rejects.toThrow();
    const next = await inTransaction(db.owner, async (tx) => ({ result: await tx`SELECT 1`, writes: [] }));
    expect(next).toHaveLength(1);
    expect(await db.owner`SELECT id FROM products WHERE id = 'p6'`).toHaveLength(0);
    await other.end();
  });

  it('fails when the database cannot be reached', async () => {
    const nowhere = connect({
      url: `postgres://x:y@127.0.0.1:${await freePort()}/z`,
      max: 1,
      connectTimeoutSeconds: 2,
    });
    await expect(inTransaction(nowhere, async () => ({ result: null, writes: [] }))).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    await nowhere.end({ timeout: 0 });
  });
});
