import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
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

  it('works again once a database that was away has come back, also for callers that kept trying', async () => {
    const line = await startLine(db.ownerUrl);
    const pool = connect({ url: line.url, max: 1, connectTimeoutSeconds: 2 });
    const look = () => inTransaction(pool, async (tx) => ({ result: await tx`SELECT 1`, writes: [] }));
    expect(await look()).toHaveLength(1);

    await line.takeDown();
    const tries = await Promise.allSettled(Array.from({ length: 5 }, look));
    expect(tries.every(({ status }) => status === 'rejected')).toBe(true);
    await line.bringUp();
    for (const attempt of await Promise.allSettled(Array.from({ length: 5 }, look))) {
      if (attempt.status === 'rejected') expect(String(attempt.reason)).toMatch(/CONNECT|ECONN|CLOSED|NoConnection/);
    }
    expect(await look()).toHaveLength(1);
    await pool.end({ timeout: 0 });
    await line.takeDown();
  });

  it('does not wait for ever when the connection that it waits for is cut', async () => {
    const line = await startLine(db.ownerUrl);
    const pool = connect({ url: line.url, max: 1, connectTimeoutSeconds: 2 });
    const isHeld = Promise.withResolvers<void>();
    const held = inTransaction(pool, async (tx) => {
      await tx`SELECT 1`;
      isHeld.resolve();
      await tx`SELECT pg_sleep(60)`;
      return { result: null, writes: [] };
    });
    await isHeld.promise;
    const waiting = inTransaction(pool, async (tx) => ({ result: await tx`SELECT 1`, writes: [] }));
    line.cut();
    await expect(held).rejects.toThrow();
    await Promise.allSettled([waiting]);
    const next = await inTransaction(pool, async (tx) => ({ result: await tx`SELECT 1`, writes: [] }));
    expect(next).toHaveLength(1);
    await pool.end({ timeout: 0 });
    await line.takeDown();
  });
});

/** A line to the database that can be cut, and be dead for a while. */
async function startLine(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const port = await freePort();
  const sockets = new Set<Socket>();
  const server = createServer((from) => {
    const to = createConnection(Number(target.port), target.hostname);
    for (const socket of [from, to]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          from.destroy();
          to.destroy();
        });
    }
    from.pipe(to).pipe(from);
  });
  const bringUp = async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  await bringUp();
  return {
    url: Object.assign(new URL(databaseUrl), { port: String(port) }).href,
    bringUp,
    cut,
    async takeDown() {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
