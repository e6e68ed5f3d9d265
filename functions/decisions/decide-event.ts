import type { Decision, NewTask } from './decision.ts';
import { decisionWithoutOrder } from './draft.ts';
import type { ClinkEvent } from './event.ts';
import type { MerchantOrder, PaymentAttempt, Refund } from './order.ts';
import { decideOrderEvent } from './order-event.ts';
import { decideRefundEvent } from './refund-event.ts';
import { decideSessionEvent } from './session-event.ts';

/** What is stored about the order that an event concerns, read under that order's lock. */
export interface EventFacts {
  readonly order: MerchantOrder | null;
  /** All attempts of `order`. */
  readonly attempts: readonly PaymentAttempt[];
  /** The attempt and the refund with the event's own ids, whoever owns them. */
  readonly storedAttempt: PaymentAttempt | null;
  readonly storedRefund: Refund | null;
  /** All refunds of `order`. */
  readonly refunds: readonly Refund[];
}

/** What an event means for what is stored. A deferred event always carries the task that will look at it again. */
export function decideEvent(event: ClinkEvent, facts: EventFacts): Decision {
  const decision = decideByKind(event, facts);
  if (decision.outcome !== 'deferred') return decision;
  const again: NewTask = {
    task: 'reprocess_webhook',
    merchantOrderId: decision.merchantOrderId,
    clinkOrderId: decision.clinkOrderId,
    payload: {},
    dedupeKey: `reprocess_webhook:${event.id}`,
  };
  return { ...decision, tasks: [...decision.tasks, again] };
}

function decideByKind(event: ClinkEvent, facts: EventFacts): Decision {
  switch (event.kind) {
    case 'order':
      return decideOrderEvent(event, facts);
    case 'session':
      return decideSessionEvent(event, facts.order);
    case 'refund':
      return decideRefundEvent(event, { ...facts, attempt: facts.storedAttempt });
    case 'other':
      return decisionWithoutOrder('done', 'event_type_not_handled', null);
  }
}
