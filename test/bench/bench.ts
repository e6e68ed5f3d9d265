import { type CpuInfo, cpus } from 'node:os';
import { isMet, type Part, type Row } from './part.ts';
import { PARTS } from './parts.ts';
import { startServer } from './server.ts';

/** `npm run bench`, or `npm run bench -- NAME…` for some of its parts. Ends with 1 when a goal is missed. */

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !PARTS.some((part) => part.name === name));
if (unknown.length > 0) {
  console.error(`no part ${unknown.join(', ')}; there are: ${PARTS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const parts = PARTS.filter(({ name }) => asked.length === 0 || asked.includes(name));
const server = await startServer();
const stop = () => server.stop().finally(() => process.exit(130));
process.once('SIGINT', stop).once('SIGTERM', stop);
const rows: Row[] = [];
try {
  const [cpu] = cpus() as [CpuInfo];
  console.log(`${cpu.model} × ${cpus().length}, Node ${process.versions.node}, ${server.description}`);
  for (const part of parts) rows.push(...(await measure(part)));
} finally {
  await server.stop();
}
const missed = rows.filter((row) => !isMet(row));
console.table(rows.map(shown));
console.log(`${rows.length} figures, ${missed.length} goals missed`);
process.exit(missed.length === 0 ? 0 : 1);

async function measure(part: Part): Promise<readonly Row[]> {
  console.log(`${part.name}: ${part.about} (about ${part.minutes} min)`);
  const measured = await part.run({
    progress: (words) => console.log(`  ${part.name}: ${words}`),
    newDatabase: (name) => server.newDatabase(name),
  });
  for (const row of measured) console.log(`  ${Object.values(shown(row)).join(' | ')}`);
  return measured;
}

function shown(row: Row) {
  const { what, value, goal, basis } = row;
  const demand = goal === null ? '' : 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
  const verdict = goal === null ? '' : isMet(row) ? 'met' : 'MISSED';
  return { what, value: Number(value.toPrecision(3)), goal: demand, verdict, basis };
}
