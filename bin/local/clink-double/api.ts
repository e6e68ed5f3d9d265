import { setTimeout as pause } from 'node:timers/promises';
import { isJsonObject, type JsonObject, parseJson } from '../../../functions/clink/json.ts';
import { createSession } from './checkout.ts';
import { answerByRoute, type Call, json, plainText, type Reply, type Route } from './http.ts';
import { demand, known, Refusal } from './refusal.ts';
import type { World } from './world.ts';

const TIMESTAMP_WINDOW_MS = 2 * 60 * 1000;

/** The event names that this double sends, with Clink's numeric codes. */
const EVENTS = [
  { name: 'order.created', code: 1, description: 'A payment attempt began.' },
  { name: 'order.succeeded', code: 2, description: 'A payment attempt succeeded.' },
  { name: 'order.failed', code: 3, description: 'A payment attempt failed.' },
  { name: 'refund.succeeded', code: 5, description: 'A refund succeeded, in part or in full.' },
  { name: 'order.next_action', code: 16, description: 'A payment attempt waits for the customer.' },
  { name: 'session.complete', code: 22, description: 'A session was paid.' },
  { name: 'session.expired', code: 23, description: 'A session expired.' },
];

/**
 * Answers one call below `/api`. A scripted answer comes first, before any check; a slow or lost answer still has the
 * call's real effect, and has it at once.
 */
export async function answerApi(world: World, apiKeys: readonly string[], call: Call): Promise<Reply> {
  const script = world.knobs.takeAnswer(call.method, call.path.slice('/api'.length));
  const reply = script?.reply ?? (await answerTruly(world, apiKeys, call));
  if (script !== undefined && script.delayMs > 0) await pause(script.delayMs, undefined, { ref: false });
  return script?.lost ? 'lost' : reply;
}

async function answerTruly(world: World, apiKeys: readonly string[], call: Call): Promise<Reply> {
  if (!isAuthenticated(world, apiKeys, call)) return plainText('Unauthorized', 401);
  try {
    return await answerByRoute(apiRoutes(world), call);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return envelope(null, error.status === 200 ? 400 : error.status, error.message, error.status);
  }
}

function isAuthenticated(world: World, apiKeys: readonly string[], { headers }: Call): boolean {
  const key = headers['x-api-key'];
  const timestamp = headers['x-timestamp'];
  if (typeof key !== 'string' || !apiKeys.includes(key)) return false;
  if (typeof timestamp !== 'string' || !/^\d{1,15}$/.test(timestamp)) return false;
  return Math.abs(world.now() - Number(timestamp)) <= TIMESTAMP_WINDOW_MS;
}

function apiRoutes(world: World): Route[] {
  return [
    ['POST', '/api/checkout/session', (call) => envelope(createSession(world, readObject(call.body)))],
    ['GET', '/api/checkout/session/:id', (_, id) => envelope(known(world.sessions.get(id), 'session'))],
    ['GET', '/api/order/:id', (_, id) => envelope(known(world.orders.get(id), 'order'))],
    ['GET', '/api/order', (call) => listOrders(world, call.query)],
    ['GET', '/api/webhook/events', () => envelope(eventCatalogue())],
  ];
}

function eventCatalogue(): JsonObject {
  // Clink's alias `core` lacks three of the events that a checkout needs, and so does this one.
  const core = ['session.complete', 'order.succeeded', 'order.failed', 'refund.succeeded'];
  return { events: EVENTS, aliases: { all: EVENTS.map(({ name }) => name), core } };
}

/** Lists have no `data`: rows and total stand beside the code. */
function listOrders(world: World, query: URLSearchParams): Reply {
  const rows = world.orders.where(
    '(?1 IS NULL OR customer_id = ?1) AND (?2 IS NULL OR merchant_reference_id = ?2)',
    query.get('customerId'),
    query.get('merchantReferenceId'),
  );
  const size = Math.min(pageNumber(query, 'pageSize', 20), 50);
  const start = (pageNumber(query, 'pageNum', 1) - 1) * size;
  return json({ total: rows.length, rows: rows.slice(start, start + size), code: 200, msg: 'success' });
}

function pageNumber(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name) ?? String(fallback);
  demand(/^[1-9]\d{0,5}$/.test(text), `${name} must be a whole number from 1.`);
  return Number(text);
}

function readObject(body: string): JsonObject {
  let value: unknown;
  try {
    value = parseJson(body);
  } catch {
    throw new Refusal(400, 'The body must be JSON.');
  }
  demand(isJsonObject(value), 'The body must be a JSON object.');
  return value;
}

function envelope(data: JsonObject | null, code = 200, msg = 'success', status = 200): Reply {
  return json({ code, msg, data }, status);
}
