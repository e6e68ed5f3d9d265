import { connect, type Sql } from '../../../functions/database/connection.ts';
import { receiveEvent } from '../../../functions/flows/receive-event.ts';
import type { Bench, BenchDatabase } from '../part.ts';
import { installFloor, receiveInOneCall } from './floor.ts';
import { type History, historyOf, makeOrders, type Receive } from './histories.ts';
import { receiveLiterally } from './literal-port.ts';

/** One way of taking an event in, on a database of its own. */
export interface Contender {
  readonly name: Name;
  readonly database: BenchDatabase;
  readonly owner: Sql;
  readonly receive: Receive;
}

export type Name = 'ours' | 'port' | 'floor';

const RECEIVE: Readonly<Record<Name, Receive>> = {
  ours: (sql, event, body) => receiveEvent({ sql, wakeUp: async () => undefined }, event, body),
  port: receiveLiterally,
  floor: receiveInOneCall,
};

export async function openContenders(bench: Bench): Promise<Contender[]> {
  const contenders: Contender[] = [];
  for (const name of Object.keys(RECEIVE) as Name[]) {
    const database = await bench.newDatabase(`webhook_${name}`);
    const owner = connect({ url: database.ownerUrl, max: 1 });
    if (name === 'floor') await installFloor(owner);
    contenders.push({ name, database, owner, receive: RECEIVE[name] });
  }
  return contenders;
}

/** Gives out histories that nobody has had, about orders made alike for every contender. */
export class Histories {
  made = 0;
  readonly #contenders: readonly Contender[];

  constructor(contenders: readonly Contender[]) {
    this.#contenders = contenders;
  }

  async next(count: number): Promise<History[]> {
    const from = this.made + 1;
    this.made += count;
    for (const { owner } of this.#contenders) await makeOrders(owner, from, count);
    return Array.from({ length: count }, (_, at) => historyOf(from + at));
  }
}

const TABLES = ['webhook_events', 'merchant_orders', 'payment_attempts', 'outbox', 'order_journal'] as const;
/** Times of writing, and numbers that the database gives out. */
const INCIDENTAL = ['created_at', 'updated_at', 'received_at', 'next_retry_at', 'due_at'];

/** Throws unless all of them hold `orders` paid orders and the very same rows in every table. */
export async function assertSameWork(contenders: readonly Contender[], orders: number): Promise<void> {
  const digests = await Promise.all(contenders.map(({ owner }) => digestsOf(owner)));
  for (const [at, { name, owner }] of contenders.entries()) {
    const [row] = await owner<{ paid: number }[]>`
      SELECT count(*) AS paid FROM merchant_orders WHERE payment_status = 'paid'`;
    if (row?.paid !== orders) throw new Error(`${name} has ${row?.paid} paid orders of ${orders}`);
    const different = TABLES.filter((_table, column) => digests[at]?.[column] !== digests[0]?.[column]);
    if (different.length > 0) throw new Error(`${name} has other rows than ours in ${different.join(', ')}`);
  }
}

async function digestsOf(owner: Sql): Promise<string[]> {
  const digests: string[] = [];
  for (const table of TABLES) {
    const left = table === 'outbox' || table === 'order_journal' ? [...INCIDENTAL, 'id'] : INCIDENTAL;
    const [row] = await owner.unsafe<{ digest: string }[]>(
      `SELECT count(*) || ':' || md5(string_agg(content, '' ORDER BY content COLLATE "C")) AS digest
       FROM (SELECT (to_jsonb(t) - $1::text[])::text AS content FROM ${table} AS t) AS rows`,
      [left],
    );
    digests.push(row?.digest ?? '');
  }
  return digests;
}
