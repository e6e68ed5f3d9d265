import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../bin/local/free-port.ts';
import { connect, openAhead, type Transaction } from '../../functions/database/connection.ts';
import { retryingLoss } from '../../functions/database/connection-loss.ts';
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

  it('writes every kind of value on a connection that has not seen its statements before', async () => {
    const fresh = connect({ url: db.ownerUrl, max: 1 });
    const at = new Date(0);
    const [row] = await inTransaction(fresh, async (tx) => ({
      result: await tx`
        SELECT ${7}::bigint AS seven, ${true}::boolean AS yes, ${null}::text AS nothing, ${'19.90'}::numeric AS price,
               ${['a', 'b']}::text[] AS list, ${at}::timestamptz AS at, ${tx.json({ a: 1 })}::jsonb AS json`,
      writes: [
        tx`INSERT INTO products ${tx(product('p6', 1))}`,
        tx`UPDATE products SET active = ${false}, unit_amount = ${2} WHERE id = ANY(${['p6']})`,
      ],
    }));
    expect(row).toEqual({ seven: 7, yes: true, nothing: null, price: '19.90', list: ['a', 'b'], at, json: { a: 1 } });
    expect(await fresh`SELECT active, unit_amount FROM products WHERE id = 'p6'`).toEqual([
      { active: false, unitAmount: 2 },
    ]);
    await fresh.end();
  });

  it('rolls back when its work throws, and leaves the connection usable', async () => {
    const run = inTransaction(db.owner, async (tx) => {
      await tx`INSERT INTO products ${tx(product('p5'))}`;
      throw new Error('decided otherwise');
    });
    await expect(run).rejects.toThrow('decided otherwise');
    expect(await db.owner`SELECT id FROM products WHERE id = 'p5'`).toHaveLength(0);
  });

  it.each([
    ['once: runs again on another connection', 1],
    ['twice: fails', 2],
  ])('whose connection is cut between reading and writing, %s', async (_what, cuts) => {
    const other = connect({ url: db.ownerUrl, max: 1 });
    let runs = 0;
    const run = inTransaction(db.owner, async (tx) => {
      const [row] = await tx<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
      if (runs++ < cuts) await other`SELECT pg_terminate_backend(${row?.pid ?? 0}, 5000)`;
      return { result: 'done', writes: [tx`INSERT INTO products ${tx(product(`cut_${cuts}`))}`] };
    });
    if (cuts === 1) expect(await run).toBe('done');
    else await expect(run).rejects.toThrow();
    expect(runs).toBe(2);
    const next = await inTransaction(db.owner, async (tx) => ({ result: await tx`SELECT 1`, writes: [] }));
    expect(next).toHaveLength(1);
    expect(await db.owner`SELECT id FROM products WHERE id = ${`cut_${cuts}`}`).toHaveLength(cuts === 1 ? 1 : 0);
    await other.end();
  });

  it('is not run again when its connection was lost with COMMIT on the way', async () => {
    const line = await startLine(db.ownerUrl);
    const pool = connect({ url: line.url, max: 1 });
    let runs = 0;
    const run = inTransaction(pool, async (tx) => {
      runs++;
      await tx`SELECT 1`;
      return { result: null, writes: [tx`SELECT pg_sleep(60)`.then(undefined, () => undefined)] };
    });
    await vi.waitFor(async () => {
      const sleeping =
        await db.owner`SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(60)%' AND state = 'active'`;
      expect(sleeping.length).toBeGreaterThan(0);
    });
    line.cut();
    await expect(run).rejects.toThrow();
    expect(runs).toBe(1);
    await pool.end({ timeout: 0 });
    await line.takeDown();
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

  it.each([true, false])('fails when an address cannot even be tried, with TLS %s', async (tls) => {
    const server = {
      host: '255.255.255.255',
      port: 5432,
      database: 'z',
      username: 'x',
      password: async () => 'y',
      tls,
    };
    const nowhere = connect({ server, max: 1, connectTimeoutSeconds: 2 });
    for (let time = 0; time < 2; time++) await expect(nowhere`SELECT 1`).rejects.toMatchObject({ code: 'ENETUNREACH' });
    await nowhere.end({ timeout: 0 });
  });

  it('that waits for the first connection of a process gets the second when the first fails', async () => {
    const line = await startLine(db.ownerUrl);
    await line.takeDown();
    const pool = connect({ url: line.url, max: 1, connectTimeoutSeconds: 2 });
    const first = openAhead(pool);
    await turn();
    const waiting = inTransaction(pool, async (tx) => ({ result: await tx`SELECT 1`, writes: [] }));
    await first;
    await line.bringUp();
    expect(await waiting).toHaveLength(1);
    await pool.end({ timeout: 0 });
    await line.takeDown();
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

  it('that meets a dead socket, as after a freeze, takes another connection', async () => {
    const line = await startLine(db.ownerUrl);
    const pool = connect({ url: line.url, max: 1 });
    const look = async (tx: Transaction) => ({ result: await tx`SELECT 1`, writes: [] });
    await inTransaction(pool, look);
    line.cut();
    expect(await inTransaction(pool, look)).toHaveLength(1);
    line.cut();
    expect(await retryingLoss(() => pool`SELECT 1`.then((rows) => rows))).toHaveLength(1);
    await pool.end({ timeout: 0 });
    await line.takeDown();
  });

  it('does not wait for ever when the connection that it waits for is cut', async () => {
    const line = await startLine(db.ownerUrl);
    const pool = connect({ url: line.url, max: 1, connectTimeoutSeconds: 2 });
    const isHeld = Promise.withResolvers<void>();
    let runs = 0;
    const held = inTransaction(pool, async (tx) => {
      isHeld.resolve();
      return { result: await tx`SELECT pg_sleep(${runs++ === 0 ? 60 : 0})`, writes: [] };
    });
    await isHeld.promise;
    const waiting = inTransaction(pool, async (tx) => ({ result: await tx`SELECT 1`, writes: [] }));
    line.cut();
    await Promise.allSettled([held, waiting]);
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
