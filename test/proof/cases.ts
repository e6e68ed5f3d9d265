import type { MerchantOrder } from '../../functions/decisions/order.ts';
import {
  merchantOrder,
  ORDER_ID,
  orderEvent,
  refundEvent,
  SESSION_ID,
  sessionEvent,
  T,
} from '../support/clink-events.ts';
import type { ClinkTruth } from '../support/memory-store.ts';
import type { Actor } from './scheduler.ts';
import type { Snapshot } from './snapshot.ts';
import { deliverBadly, deliverSlowly, type Stage } from './stage.ts';
import { ONE_ORDER, OTHER_ORDER_ID, OTHER_SESSION_ID, TWO_ORDERS, truthOf } from './world.ts';

/** Some actors over one order or one task, and what had happened before they came. */
export interface Case {
  readonly name: string;
  readonly orders: readonly MerchantOrder[];
  readonly truth: ClinkTruth;
  prepare(stage: Stage): Promise<readonly Actor[]>;
  /** What must be true besides the invariants and the ends that the actors come to one after the other. */
  judge?(stage: Stage, now: Snapshot): Iterable<string>;
}

type OrderType = Parameters<typeof orderEvent>[0];
const of = (clinkOrderId: string) => (type: OrderType, after: number) =>
  orderEvent(type, { clinkOrderId, created: T + after });
const A = of('order_A');
const B = of('order_B');
const C = of('order_C');
const foreign = { merchantOrderId: OTHER_ORDER_ID, clinkSessionId: OTHER_SESSION_ID };
const foreignA = (type: OrderType, after: number) =>
  orderEvent(type, { ...foreign, created: T + after, id: `${type}:foreign` });
const refundOf = (refundId: string, amount: string) => refundEvent({ refundId, amount });
const current = (clinkOrderId: string) => ({ [SESSION_ID]: clinkOrderId });
const owners = { [SESSION_ID]: ORDER_ID, [OTHER_SESSION_ID]: OTHER_ORDER_ID };
const paid = truthOf({ order_A: { status: 'success' }, order_B: { status: 'failed' } }, current('order_A'));
const partly = truthOf({ order_A: { status: 'partial_refunded' } }, current('order_A'));
const unsaved = merchantOrder({ clinkSessionId: null, paymentStatus: 'created' });
const session = { clinkSessionId: SESSION_ID, checkoutUrl: 'https://checkout.example/pay' };

const PAID = [A('order.created', 0), A('order.succeeded', 1)];
const FULFILL = `fulfill:${ORDER_ID}`;

export const CASES: readonly Case[] = [
  {
    name: "success beside another attempt's failure",
    orders: ONE_ORDER,
    truth: paid,
    async prepare(stage) {
      await stage.deliver(A('order.created', 0), B('order.created', 1));
      return [stage.webhook('success', A('order.succeeded', 2)), stage.webhook('failure', B('order.failed', 2))];
    },
  },
  {
    name: "success beside another attempt's failure, both at first sight",
    orders: ONE_ORDER,
    truth: paid,
    prepare: async (stage) => [
      stage.webhook('success', A('order.succeeded', 2)),
      stage.webhook('failure', B('order.failed', 2)),
    ],
  },
  {
    name: 'two first sights of one attempt by two owners',
    orders: TWO_ORDERS,
    truth: truthOf({ order_A: { status: 'success' } }, current('order_A'), owners),
    prepare: async (stage) => [
      stage.webhook('ours', A('order.created', 0)),
      stage.webhook('theirs', foreignA('order.created', 0)),
    ],
  },
  {
    name: 'two first sights by two owners, and the success of one',
    orders: TWO_ORDERS,
    truth: truthOf({ order_A: { status: 'success' } }, current('order_A'), owners),
    prepare: async (stage) => [
      stage.webhook('ours', A('order.created', 0)),
      stage.webhook('theirs', foreignA('order.created', 0)),
      stage.webhook('success', A('order.succeeded', 1)),
    ],
  },
  {
    name: 'two first sights of one attempt by one owner, and one event twice',
    orders: ONE_ORDER,
    truth: paid,
    prepare: async (stage) => [
      stage.webhook('created', A('order.created', 0)),
      stage.webhook('success', A('order.succeeded', 1)),
      stage.webhook('again', A('order.succeeded', 1)),
    ],
  },
  {
    name: 'two successes and a refund of one',
    orders: ONE_ORDER,
    truth: truthOf({ order_A: { status: 'partial_refunded' }, order_B: { status: 'success' } }, current('order_A')),
    prepare: async (stage) => [
      stage.webhook('success A', A('order.succeeded', 1)),
      stage.webhook('success B', B('order.succeeded', 1)),
      stage.webhook('refund', refundOf('rfd_1', '5')),
    ],
  },
  {
    name: 'refund beside success',
    orders: ONE_ORDER,
    truth: partly,
    prepare: async (stage) => [
      stage.webhook('success', A('order.succeeded', 1)),
      stage.webhook('refund', refundOf('rfd_1', '5')),
    ],
  },
  {
    name: 'a deferred refund looked at again beside success',
    orders: ONE_ORDER,
    truth: partly,
    async prepare(stage) {
      const refund = refundOf('rfd_1', '5');
      await stage.deliver(A('order.created', 0), refund);
      const ticket = await stage.ticket(`reprocess_webhook:${refund.id}`);
      return [stage.worker('worker', ticket), stage.webhook('success', A('order.succeeded', 1))];
    },
  },
  {
    name: 'a refund that comes and is looked at again beside the first sight of its attempt',
    orders: ONE_ORDER,
    truth: partly,
    prepare: async (stage) => [
      stage.webhookLookedAtAgain('refund', refundOf('rfd_1', '5')),
      stage.webhook('success', A('order.succeeded', 1)),
    ],
  },
  {
    name: 'two refunds at the cap',
    orders: ONE_ORDER,
    truth: partly,
    async prepare(stage) {
      await stage.deliver(...PAID);
      return ['rfd_1', 'rfd_2'].map((id) => stage.webhook(id, refundOf(id, '10')));
    },
  },
  {
    name: 'two refunds at the cap, and the end of the session',
    orders: ONE_ORDER,
    truth: partly,
    async prepare(stage) {
      await stage.deliver(...PAID);
      const refunds = ['rfd_1', 'rfd_2'].map((id) => stage.webhook(id, refundOf(id, '10')));
      return [...refunds, stage.webhook('session', sessionEvent('session.complete', { created: T + 3 }))];
    },
  },
  {
    name: "reconcile_session beside a new attempt's event",
    orders: ONE_ORDER,
    truth: truthOf({}, current('order_C')),
    async prepare(stage) {
      const event = B('order.next_action', 2);
      await stage.deliver(A('order.created', 0), A('order.failed', 1), event);
      const ticket = await stage.ticket(`reconcile_session:${ORDER_ID}:${event.id}`);
      return [stage.worker('worker', ticket), stage.webhook('new attempt', C('order.next_action', 4))];
    },
  },
  {
    name: 'reconcile_attempt beside an event of that attempt',
    orders: ONE_ORDER,
    truth: paid,
    async prepare(stage) {
      const tie = A('order.failed', 1);
      await stage.deliver(A('order.created', 0), A('order.next_action', 1), tie);
      const ticket = await stage.ticket(`reconcile_attempt:order_A:${tie.id}`);
      return [stage.worker('worker', ticket), stage.webhook('success', A('order.succeeded', 2))];
    },
  },
  {
    name: "reprocess beside the event's own settlement by an answer",
    orders: ONE_ORDER,
    truth: paid,
    async prepare(stage) {
      const event = A('order.succeeded', 2);
      await stage.deliver(A('order.created', 0), A('order.failed', 3), event);
      const again = await stage.ticket(`reprocess_webhook:${event.id}`);
      const question = await stage.ticket(`reconcile_attempt:order_A:${event.id}`);
      return [stage.worker('reprocess', again), stage.worker('answer', question)];
    },
  },
  {
    name: "the checkout's session save beside an early webhook",
    orders: [unsaved],
    truth: paid,
    prepare: async (stage) => [
      stage.checkout('checkout', unsaved, session),
      stage.webhook('early', A('order.succeeded', 1)),
    ],
  },
  {
    name: "the checkout's session save beside an early webhook and another one's second look",
    orders: [unsaved],
    truth: paid,
    async prepare(stage) {
      const earlier = A('order.created', 0);
      await stage.deliver(earlier);
      const ticket = await stage.ticket(`reprocess_webhook:${earlier.id}`);
      return [
        stage.checkout('checkout', unsaved, session),
        stage.webhook('early', A('order.succeeded', 1)),
        stage.worker('worker', ticket),
      ];
    },
  },
  {
    name: 'two claimers, room for one',
    orders: TWO_ORDERS,
    truth: paid,
    async prepare(stage) {
      await stage.deliver(...PAID, orderEvent('order.succeeded', { ...foreign, clinkOrderId: 'order_F' }));
      return ['claimer 1', 'claimer 2'].map((name) => stage.claimer(name, 'fulfill', 1));
    },
    *judge({ claimed }) {
      if (claimed.length !== 1) yield `${claimed.length} rows were claimed where there was room for one`;
    },
  },
  {
    name: 'a worker that finishes beside a claimer that finds its lease over',
    orders: ONE_ORDER,
    truth: paid,
    async prepare(stage) {
      await stage.deliver(...PAID);
      const ticket = await stage.ticket(FULFILL);
      return [stage.worker('worker', ticket), stage.workerAfterLease('second', 'fulfill')];
    },
    *judge({ deeds }) {
      if (!deeds.some(({ what }) => what === 'delivered')) yield 'nobody delivered';
    },
  },
  {
    name: 'heartbeats beside a claimer that finds the lease over',
    orders: ONE_ORDER,
    truth: paid,
    async prepare(stage) {
      await stage.deliver(...PAID);
      const ticket = await stage.ticket(FULFILL);
      return [stage.worker('worker', ticket, deliverSlowly), stage.workerAfterLease('second', 'fulfill')];
    },
  },
  {
    name: 'two workers and a claimer over one task, one of them late',
    orders: ONE_ORDER,
    truth: paid,
    async prepare(stage) {
      await stage.deliver(...PAID);
      const ticket = await stage.ticket(FULFILL);
      const workers = ['worker 1', 'worker 2'].map((name) => stage.worker(name, ticket));
      return [...workers, stage.workerAfterLease('second', 'fulfill')];
    },
  },
  {
    name: 'a message twice: two workers with one ticket',
    orders: ONE_ORDER,
    truth: paid,
    async prepare(stage) {
      await stage.deliver(...PAID);
      const ticket = await stage.ticket(FULFILL);
      return ['worker 1', 'worker 2'].map((name) => stage.worker(name, ticket));
    },
    *judge({ deeds }) {
      const began = deeds.filter(({ what }) => what === 'began').length;
      if (began !== 1) yield `${began} workers began under one ticket`;
    },
  },
  {
    name: 'a last try that fails beside what it waited for',
    orders: ONE_ORDER,
    truth: partly,
    async prepare(stage) {
      const refund = refundOf('rfd_1', '5');
      await stage.deliver(A('order.created', 0), refund);
      const ticket = await stage.ticket(`reprocess_webhook:${refund.id}`, 11);
      return [stage.worker('last try', ticket), stage.webhook('success', A('order.succeeded', 1))];
    },
  },
  {
    name: 'a claimer that gives up a crashed task beside what it waited for',
    orders: ONE_ORDER,
    truth: partly,
    async prepare(stage) {
      const refund = refundOf('rfd_1', '5');
      await stage.deliver(A('order.created', 0), refund);
      await stage.crash(`reprocess_webhook:${refund.id}`, 11);
      return [stage.claimingWorker('claimer', 'reprocess_webhook'), stage.webhook('success', A('order.succeeded', 1))];
    },
  },
  {
    name: 'a delivery given up beside a refund and the end of the session',
    orders: ONE_ORDER,
    truth: partly,
    async prepare(stage) {
      await stage.deliver(...PAID);
      const ticket = await stage.ticket(FULFILL);
      return [
        stage.worker('worker', ticket, deliverBadly),
        stage.webhook('refund', refundOf('rfd_1', '5')),
        stage.webhook('session', sessionEvent('session.complete', { created: T + 3 })),
      ];
    },
  },
];
