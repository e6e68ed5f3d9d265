import type { JsonNumber, JsonObject } from '../../../functions/clink/json.ts';
import { inTransaction } from './database.ts';
import type { SendMode } from './deliveries.ts';
import { type EventType, laneOf, type News, publish } from './events.ts';
import { newOrder } from './new-order.ts';
import { demand, known } from './refusal.ts';
import { newId, type World } from './world.ts';

export type Outcome = 'success' | 'failed' | 'requires_action';

/** One attempt to pay, as the shopper or a script makes it. */
export interface Attempt {
  outcome: Outcome;
  /** What is taken, in major units; the session's amount by default. */
  amountTotal?: JsonNumber;
  /** What it is taken in; the session's currency by default. */
  paymentCurrency?: string;
  webhooks: SendMode;
}

const EVENT_OF: Readonly<Record<Outcome, EventType>> = {
  success: 'order.succeeded',
  failed: 'order.failed',
  requires_action: 'order.next_action',
};

/**
 * Makes a new order for the session and brings it to the outcome. The session's own state is no hindrance here: late
 * money and second payments happen, and scripts ask for them. Returns the order's id.
 */
export function pay(world: World, sessionId: string, attempt: Attempt): string {
  return inTransaction(world.database, () => {
    const session = known(world.sessions.get(sessionId), 'session');
    const orderId = newId(world, 'order');
    const created = world.orders.put(orderId, newOrder(world, session, orderId, attempt));
    settle(world, created, attempt.outcome, attempt.webhooks, [['order.created', created]]);
    return orderId;
  });
}

/** Ends the extra verification that the session's latest such order waits for. Returns the order's id. */
export function finishVerification(
  world: World,
  sessionId: string,
  outcome: 'success' | 'failed',
  webhooks: SendMode,
): string {
  return inTransaction(world.database, () => {
    known(world.sessions.get(sessionId), 'session');
    const order = world.orders.where('session_id = ?', sessionId).findLast(isWaiting);
    demand(order !== undefined, 'No order of this session waits for a verification.');
    settle(world, order, outcome, webhooks, []);
    return String(order.orderId);
  });
}

/** Tells that the session has expired; one that is still open is closed by it. */
export function expireSession(world: World, sessionId: string, webhooks: SendMode): void {
  inTransaction(world.database, () => {
    const session = known(world.sessions.get(sessionId), 'session');
    if (session.status === 'open') world.sessions.put(sessionId, { status: 'expired' });
    publish(world, sessionId, [['session.expired', { ...session, status: 'expired' }]], webhooks);
  });
}

/** Whether an order waits for the shopper's extra verification. */
export function isWaiting(order: JsonObject): boolean {
  return order.status === 'requires_action';
}

function settle(
  world: World,
  before: JsonObject,
  outcome: Outcome,
  webhooks: SendMode,
  earlier: readonly News[],
): void {
  const order = world.orders.put(String(before.orderId), {
    status: outcome,
    paymentTime: outcome === 'requires_action' ? null : world.now(),
    ...(outcome === 'failed' && { failureCode: 'card_declined', failureMessage: 'The card was declined.' }),
  });
  const completed = followOrder(world, order, outcome);
  const told: News[] = [...earlier, [EVENT_OF[outcome], order]];
  publish(world, laneOf(order), completed ? [...told, ['session.complete', completed]] : told, webhooks);
}

/** Lets the session show its latest order; returns it when this very order completed it. */
function followOrder(world: World, order: JsonObject, outcome: Outcome): JsonObject | undefined {
  const sessionId = laneOf(order);
  const session = world.sessions.get(sessionId);
  if (session === undefined || session.status === 'completed') return undefined;
  const { orderId, amountTotal, paymentCurrency } = order;
  if (outcome !== 'success') {
    world.sessions.put(sessionId, { orderId, paymentStatus: outcome === 'failed' ? 'unpaid' : 'processing' });
    return undefined;
  }
  const paid = { orderId, amountTotal, paymentCurrency, paymentStatus: 'paid' };
  const completes = session.status === 'open';
  const after = world.sessions.put(sessionId, completes ? { ...paid, status: 'completed' } : paid);
  return completes ? after : undefined;
}
