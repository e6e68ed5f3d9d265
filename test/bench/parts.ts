import { delivery } from './delivery/delivery.ts';
import { growth } from './growth/growth.ts';
import type { Part } from './part.ts';
import { webhook } from './webhook/webhook.ts';

/** In the order in which they run. */
export const PARTS: readonly Part[] = [webhook, delivery, growth];
