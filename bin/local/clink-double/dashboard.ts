import { flagField, numberField } from './dashboard-form.ts';
import { dashboardPage } from './dashboard-page.ts';
import { releaseHeld, resend } from './deliveries.ts';
import { type Call, type Reply, type Route, seeOther } from './http.ts';
import type { DeliveryKnobs, ScriptedAnswer } from './knobs.ts';
import { expireSession } from './payments.ts';
import { refundWithinRest } from './refunds.ts';
import { type Rotation, rotateKey } from './rotation.ts';
import type { World } from './world.ts';

/** The merchant's dashboard: what happened, what a merchant may do about it, and the knobs for trouble. */
export function dashboardRoutes(world: World, rotation: Rotation | undefined): Route[] {
  return [
    ['GET', '/dashboard', () => dashboardPage(world, rotation !== undefined)],
    [
      'POST',
      '/dashboard/orders/:id/refund',
      (call, id) => done(refundWithinRest(world, id, form(call).get('amount') ?? '')),
    ],
    ['POST', '/dashboard/sessions/:id/expire', (_, id) => done(expireSession(world, id, 'send'))],
    ['POST', '/dashboard/events/:id/resend', (_, id) => done(resend(world, id))],
    ['POST', '/dashboard/deliveries/release', () => done(releaseHeld(world))],
    ['POST', '/dashboard/delivery', (call) => done(world.knobs.setDelivery(readDelivery(form(call))))],
    ['POST', '/dashboard/answers', (call) => done(world.knobs.answers.push(readTrouble(form(call))))],
    ['POST', '/dashboard/answers/clear', () => done(world.knobs.clearAnswers())],
    ['POST', '/dashboard/rotate/:id', async (_, key) => done(await rotateKey(rotation, key))],
  ];
}

/** Back to the dashboard, which shows what the action did. */
function done(_effect: unknown): Reply {
  return seeOther('/dashboard');
}

function form(call: Call): URLSearchParams {
  return new URLSearchParams(call.body);
}

function readDelivery(fields: URLSearchParams): DeliveryKnobs {
  return {
    delayMs: numberField(fields, 'delayMs'),
    duplicates: numberField(fields, 'duplicates'),
    reorder: flagField(fields, 'reorder'),
    drop: flagField(fields, 'dropAll') || numberField(fields, 'drop'),
    equalTimestamps: flagField(fields, 'equalTimestamps'),
    refundStatusDelayMs: numberField(fields, 'refundStatusDelayMs'),
  };
}

function readTrouble(fields: URLSearchParams): ScriptedAnswer {
  const kind = fields.get('kind');
  const failed = {
    status: 500,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'Internal Server Error',
  };
  return {
    method: '*',
    path: '*',
    times: Math.max(numberField(fields, 'times'), 1),
    delayMs: kind === 'slow' ? numberField(fields, 'delayMs') : 0,
    lost: kind === 'lost',
    ...(kind === 'failing' && { reply: failed }),
  };
}
