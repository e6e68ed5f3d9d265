import type { JsonObject } from '../../../functions/clink/json.ts';
import { type Call, type Reply, type Route, seeOther } from './http.ts';
import { closedPage, paymentPage, successAddress, verificationPage } from './payment-page.ts';
import { finishVerification, isWaiting, pay } from './payments.ts';
import { demand, known } from './refusal.ts';
import type { World } from './world.ts';

type Action = (world: World, sessionId: string) => string;

/** What each button of the hosted page does to its session. */
const ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['pay', (world, id) => pay(world, id, { outcome: 'success', webhooks: 'send' })],
  ['decline', (world, id) => pay(world, id, { outcome: 'failed', webhooks: 'send' })],
  ['verify', (world, id) => pay(world, id, { outcome: 'requires_action', webhooks: 'send' })],
  ['verify-complete', (world, id) => finishVerification(world, id, 'success', 'send')],
  ['verify-fail', (world, id) => finishVerification(world, id, 'failed', 'send')],
]);

/** The hosted payment page, at an address that only the shopper of the session knows. */
export function paymentPages(world: World): Route[] {
  const session = (token: string): JsonObject => known(world.sessions.where('token = ?', token)[0], 'payment page');
  return [
    ['GET', '/pay/:id', (_, token) => show(world, session(token))],
    ['POST', '/pay/:id', (call, token) => act(world, session(token), call)],
  ];
}

function show(world: World, session: JsonObject): Reply {
  if (session.status !== 'open') return closedPage(session);
  const latest = world.orders.where('session_id = ?', String(session.sessionId)).at(-1);
  if (latest !== undefined && isWaiting(latest)) return verificationPage(session);
  return paymentPage(session, latest?.status === 'failed');
}

function act(world: World, session: JsonObject, call: Call): Reply {
  const action = ACTIONS.get(new URLSearchParams(call.body).get('action') ?? '');
  demand(action !== undefined, 'This page has no such button.');
  const sessionId = String(session.sessionId);
  if (session.status !== 'open') return seeOther(call.path);
  action(world, sessionId);
  const completed = world.sessions.get(sessionId)?.status === 'completed';
  return seeOther((completed && successAddress(session)) || call.path);
}
