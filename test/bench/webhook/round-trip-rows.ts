import type { Row } from '../part.ts';
import type { Contender, Histories, Name } from './contenders.ts';
import { countRoundTrips, type RoundTrips } from './round-trips.ts';

export async function roundTripRows(contenders: readonly Contender[], histories: Histories): Promise<Row[]> {
  const [first, second, third] = await histories.next(3);
  if (!first || !second || !third) throw new Error('three orders were asked for');
  const counted = new Map<Name, RoundTrips>();
  for (const { name, database, receive } of contenders) {
    counted.set(name, await countRoundTrips(database.appUrl, receive, [first, second, third]));
  }

  const row = (connection: 'warm' | 'fresh', event: 'created' | 'succeeded', atMost: number): Row => {
    const of = (name: Name) => counted.get(name)?.[connection][event] ?? Number.NaN;
    return {
      what: `webhook, round trips of order.${event}, ${connection} connection`,
      value: of('ours'),
      goal: { atMost },
      basis: `a count; the port takes ${of('port')}, the floor ${of('floor')}`,
    };
  };
  return [
    row('warm', 'created', 2),
    row('warm', 'succeeded', 2),
    row('fresh', 'created', 14),
    row('fresh', 'succeeded', 14),
  ];
}
