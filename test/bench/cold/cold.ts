import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connect } from '../../../functions/database/connection.ts';
import { type BundleSize, ENTRIES, type Entry, measureBundle } from '../../../lib/bundle-sizes.ts';
import { beyondEmptyMs, importOf, type Start } from '../../../lib/start-times.ts';
import type { Bench, Part, Row } from '../part.ts';
import { FIRST_EVENTS, fillShop, type HttpEntry } from './first-events.ts';
import { startSurroundings } from './surroundings.ts';
import { bundleYardsticks, type Yardsticks } from './yardstick.ts';

/** Of the import of the driver, which is 16 ms where an HTTP function may take 25 and the others 45. */
const GOALS = { http: 25 / 16, others: 45 / 16 };
const KIB_AT_START = 100;

const HTTP = Object.keys(FIRST_EVENTS) as HttpEntry[];
const OTHERS = ENTRIES.filter((entry) => /^(outbox|workers)\//.test(entry));

export const cold: Part = {
  name: 'cold',
  about: 'what the functions read, import, and take to their first answer in a new process',
  minutes: 2,
  async run(bench) {
    const folder = await mkdtemp(join(tmpdir(), 'clink-cold-'));
    try {
      const yardsticks = bundleYardsticks(folder);
      const entries = [...HTTP, ...OTHERS];
      const sizes = new Map(entries.map((entry) => [entry, measureBundle(entry, join(folder, entry))]));
      return [
        ...sizeRows(sizes),
        ...(await importRows(bench, entries, folder, yardsticks)),
        ...(await answerRows(bench, folder, yardsticks)),
      ];
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

function sizeRows(sizes: ReadonlyMap<Entry, BundleSize>): Row[] {
  return HTTP.map((entry) => ({
    what: `${entry}: KiB before the first query`,
    value: (sizes.get(entry)?.atStart ?? Number.NaN) / 1024,
    goal: { atMost: KIB_AT_START },
    basis: 'the bundle, without what it loads beside the connection',
  }));
}

async function importRows(bench: Bench, entries: Entry[], folder: string, { imported }: Yardsticks): Promise<Row[]> {
  bench.progress(`imports of ${entries.length} functions`);
  const starts = entries.map((entry) => [entry, async () => importOf(addressOf(folder, entry))] as const);
  const ms: Readonly<Record<string, number>> = await beyondEmptyMs({
    postgres: async () => importOf(imported),
    ...Object.fromEntries(starts),
  });
  return entries.map((entry) => ({
    what: `${entry}: import`,
    ...over(ms[entry], ms.postgres, 'postgres alone'),
    goal: { atMost: entry.startsWith('http/') ? GOALS.http : GOALS.others },
  }));
}

async function answerRows(bench: Bench, folder: string, { queried }: Yardsticks): Promise<Row[]> {
  bench.progress('first answers of the HTTP functions');
  const database = await bench.newDatabase('cold');
  const owner = connect({ url: database.ownerUrl, max: 1 });
  const surroundings = await startSurroundings(database);
  const { environment } = surroundings;
  try {
    await fillShop(owner);
    const starts = HTTP.map((entry) => {
      const answer = async (): Promise<Start> => answerOf(addressOf(folder, entry), await FIRST_EVENTS[entry](owner));
      return [entry, async () => ({ ...(await answer()), environment })] as const;
    });
    const ms: Readonly<Record<string, number>> = await beyondEmptyMs({
      postgres: async () => ({ ...importOf(queried), environment }),
      ...Object.fromEntries(starts),
    });
    return HTTP.map((entry) => ({
      what: `${entry}: first answer`,
      ...over(ms[entry], ms.postgres, 'postgres and one query'),
      goal: null,
    }));
  } finally {
    await surroundings.close();
    await owner.end();
    await database.drop();
  }
}

/** A process that ends once the function has answered the event with 200. */
function answerOf(address: string, event: object): Start {
  return {
    script: `
      const { handler } = await import('${address}');
      const { statusCode } = await handler(${JSON.stringify(event)}, {});
      if (statusCode !== 200) throw new Error('the first answer was ' + statusCode);
      process.exit(0);`,
  };
}

function addressOf(folder: string, entry: Entry): string {
  return pathToFileURL(join(folder, entry, 'index.mjs')).href;
}

function over(ms = Number.NaN, yardstickMs = Number.NaN, yardstick: string): Pick<Row, 'value' | 'basis'> {
  const basis = `${ms.toFixed(0)} ms over an empty process / ${yardstickMs.toFixed(0)} ms of ${yardstick}`;
  return { value: ms / yardstickMs, basis };
}
