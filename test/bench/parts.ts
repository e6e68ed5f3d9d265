import { claim } from './claim/claim.ts';
import { cold } from './cold/cold.ts';
import { delivery } from './delivery/delivery.ts';
import { engines } from './engines/engines.ts';
import { growth } from './growth/growth.ts';
import type { Part } from './part.ts';
import { webhook } from './webhook/webhook.ts';

/** In the order in which they run. */
export const PARTS: readonly Part[] = [webhook, claim, engines, delivery, cold, growth];
