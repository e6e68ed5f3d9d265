import type { JsonObject } from '../../../functions/clink/json.ts';
import { enqueue, type SendMode } from './deliveries.ts';
import { textOf } from './fields.ts';
import { newId, type World } from './world.ts';

export type EventType =
  | 'order.created'
  | 'order.next_action'
  | 'order.succeeded'
  | 'order.failed'
  | 'session.complete'
  | 'session.expired'
  | 'refund.succeeded';

/** One thing to tell the merchant: the event's type and the resource as it is now. */
export type News = readonly [type: EventType, resource: JsonObject];

/**
 * Stores the events of one action and queues their deliveries; belongs into the action's own transaction.
 * `lane` is the session (or the order, where no session is known): within it `created` rises strictly, and events
 * are sent one after another.
 */
export function publish(world: World, lane: string, news: readonly News[], mode: SendMode): void {
  const eventIds = news.map((item) => storeEvent(world, lane, item));
  enqueue(world, lane, world.knobs.delivery.reorder ? eventIds.toReversed() : eventIds, mode);
}

/** The lane of an order's events. */
export function laneOf(order: JsonObject): string {
  return textOf(order, 'sessionId') ?? String(order.orderId);
}

function storeEvent(world: World, lane: string, [type, resource]: News): string {
  const id = newId(world, 'event');
  const created = nextCreated(world, lane);
  const body = JSON.stringify({ id, object: 'event', type, created, data: { object: resource } });
  world.database
    .prepare('INSERT INTO events (id, type, lane, created, body) VALUES (?, ?, ?, ?, ?)')
    .run(id, type, lane, created, body);
  return id;
}

function nextCreated(world: World, lane: string): number {
  const row = world.database.prepare('SELECT max(created) AS latest FROM events WHERE lane = ?').get(lane);
  const latest = row?.latest;
  if (typeof latest !== 'number') return world.now();
  return world.knobs.delivery.equalTimestamps ? latest : Math.max(world.now(), latest + 1);
}
