import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { isJsonObject, type JsonObject } from '../../../functions/clink/json.ts';
import { type Call, json, type Reply, type Route } from '../clink-double/http.ts';
import { MerchantKnobs } from './merchant-knobs.ts';
import type { MerchantLedger, MerchantTask } from './merchant-ledger.ts';

export interface MerchantOptions {
  readonly ledger: MerchantLedger;
  /** A Standard Webhooks secret. */
  readonly signingSecret: string;
  /** Ends the calls that hang because they were told to. */
  readonly stopping: AbortSignal;
}

const TASK_OF_PATH: ReadonlyMap<string, MerchantTask> = new Map([
  ['fulfillment', 'fulfill'],
  ['refund-policy', 'apply_refund_policy'],
  ['cases', 'manual_reconciliation'],
  ['alerts', 'page_outbox_failure'],
]);

/**
 * The demo merchant's own endpoint, and how scripts look at it and trouble it (no authentication):
 *
 * - `GET /control/calls` → `[{id, task, idempotencyKey, receivedAt, status, body}]`, every signed call in order of
 *   receipt, repeated ones too; `task` is the outbox task that calls
 * - `PUT /control/calls {task, status?, delayMs?, times?}`: the next calls of the task are answered so
 * - `DELETE /control/calls`: ends all trouble
 */
export function merchantRoutes({ ledger, signingSecret, stopping }: MerchantOptions): Route[] {
  const knobs = new MerchantKnobs();
  const webhook = new Webhook(signingSecret);
  return [
    ['POST', '/merchant/:id', (call, path) => receive(call, path)],
    ['GET', '/control/calls', () => json(ledger.calls())],
    ['PUT', '/control/calls', (call) => done(knobs.add(call))],
    ['DELETE', '/control/calls', () => done(knobs.clear())],
  ];

  async function receive(call: Call, path: string): Promise<Reply> {
    const task = TASK_OF_PATH.get(path);
    if (task === undefined) return json({ error: 'There is no such call.' }, 404);
    const body = verify(call);
    if (body === null) return json({ error: 'The signature is not valid.' }, 401);

    const { status = 200, delayMs = 0 } = knobs.take(task) ?? {};
    const idempotencyKey = String(call.headers['idempotency-key']);
    ledger.record({ task, idempotencyKey, receivedAt: new Date().toISOString(), status, body });
    const inTime = await wait(delayMs, true, { signal: stopping }).catch(() => false);
    return inTime ? json({}, status) : 'lost';
  }

  function verify({ body, headers }: Call): JsonObject | null {
    try {
      const value: unknown = webhook.verify(body, headers as Record<string, string>);
      return isJsonObject(value) ? value : null;
    } catch {
      return null;
    }
  }
}

function done(_effect: unknown): Reply {
  return json({});
}
