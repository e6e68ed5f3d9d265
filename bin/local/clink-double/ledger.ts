import { parseJson } from '../../../functions/clink/json.ts';
import { listDeliveries } from './deliveries.ts';
import type { World } from './world.ts';

/** Everything the double knows, oldest first: the record that tests hold the merchant's own against. */
export function ledgerOf(world: World): unknown {
  const events = world.database.prepare('SELECT body FROM events ORDER BY rowid').all();
  return {
    sessions: world.sessions.where('true'),
    orders: world.orders.where('true'),
    refunds: world.refunds.where('true'),
    events: events.map((row) => parseJson(String(row.body))),
    deliveries: listDeliveries(world.database, -1).toReversed(),
    delivery: world.knobs.delivery,
    answers: world.knobs.answers,
  };
}
