import { expireSession } from './payments.ts';
import { showDueStatuses } from './refunds.ts';
import type { World } from './world.ts';

/** Lets happen what only the passing of time makes happen: sessions expire, statuses follow refunds. */
export function catchUp(world: World): void {
  const now = new Date(world.now()).toISOString();
  for (const session of world.sessions.where("status = 'open' AND expire <= ?", now)) {
    expireSession(world, String(session.sessionId), 'send');
  }
  showDueStatuses(world);
}
