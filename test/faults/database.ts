import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../bin/local/free-port.ts';
import { type LocalPostgres, startPostgres } from '../../bin/local/postgres.ts';
import { connect, type Sql } from '../../functions/database/connection.ts';

/** A PostgreSQL that outlives the stack, can be cut off, stopped and crashed, and comes back on the same port. */
export interface Database {
  readonly url: string;
  /** As its owner, for looking and for an operator's commands. */
  readonly sql: Sql;
  /** Ends the connections that the functions hold. Returns how many those were. */
  cut(): Promise<number>;
  /** `stop` ends it in an orderly way; `crash` leaves everything to recovery from the log. It is down for `downMs`. */
  restart(how: 'stop' | 'crash', downMs: number): Promise<void>;
  close(): Promise<void>;
}

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

export async function startDatabase(folder: string): Promise<Database> {
  const options = { folder: join(folder, 'postgres'), port: await freePort(), settings: { max_connections: '100' } };
  let server = await startPostgres(options);
  const url = server.url('postgres');
  let sql = connect({ url, max: 4 });
  const [setting] = await sql<{ dataDirectory: string }[]>`SELECT current_setting('data_directory') AS data_directory`;
  const pidFile = join(String(setting?.dataDirectory), 'postmaster.pid');
  return {
    url,
    get sql() {
      return sql;
    },
    async cut() {
      const ended = await sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'payments_app'`;
      return ended.count;
    },
    async restart(how, downMs) {
      if (how === 'stop') await server.stop();
      else await crash(pidFile);
      await wait(downMs);
      server = await comeBack(options);
      // postgres.js 3.4.9 may hand the old server's last words to the first query on the new one.
      await sql.end({ timeout: 0 });
      sql = connect({ url, max: 4 });
    },
    async close() {
      await sql.end({ timeout: 1 });
      await server.stop();
    },
  };
}

/** An immediate shutdown: what is not in the write-ahead log is gone, as after a power cut. */
async function crash(pidFile: string): Promise<void> {
  const pid = Number((await readFile(pidFile, 'utf8')).split('\n')[0]);
  process.kill(pid, 'SIGQUIT');
}

/** A crashed server may hold its memory for another moment. */
async function comeBack(options: Parameters<typeof startPostgres>[0], tries = 20): Promise<LocalPostgres> {
  try {
    return await startPostgres(options);
  } catch (error) {
    if (tries === 0) throw error;
    await wait(500);
    return comeBack(options, tries - 1);
  }
}
