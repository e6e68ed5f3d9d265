import type { OrderEvent } from '../../functions/decisions/event.ts';
import { type OrderEventType, orderEvent, refundEvent, SESSION_ID, sessionEvent, T } from '../support/clink-events.ts';
import { type History, ONE_ORDER, OTHER_ORDER_ID, OTHER_SESSION_ID, TWO_ORDERS, truthOf } from './world.ts';

const of =
  (clinkOrderId: string) =>
  (type: OrderEventType, created: number, fields: Partial<OrderEvent> = {}): OrderEvent =>
    orderEvent(type, { clinkOrderId, created, ...fields });
const A = of('order_A');
const B = of('order_B');
const C = of('order_C');
const otherOwner = { merchantOrderId: OTHER_ORDER_ID, clinkSessionId: OTHER_SESSION_ID };
const current = (clinkOrderId: string | null) => ({ [SESSION_ID]: clinkOrderId });

const refundA = (refundId: string, amount: string, clinkOrderId = 'order_A') =>
  refundEvent({ refundId, amount, clinkOrderId, created: T + 100 });

/** The histories whose every order is tried. Where the first arrival wins, each winner is an end of its own. */
export const HISTORIES: readonly History[] = [
  {
    name: 'one attempt with verification',
    orders: ONE_ORDER,
    events: [
      A('order.created', T),
      A('order.next_action', T + 1),
      A('order.succeeded', T + 2),
      sessionEvent('session.complete', { created: T + 3 }),
    ],
    truth: truthOf({ order_A: { status: 'success' } }, current('order_A')),
    ends: [
      'mo_1 paid | delivery pending (task) | session completed | basis 19.99 USD of order_A | refunded 0 | attempts (order_A succeeded)',
    ],
  },
  {
    name: 'one attempt, all in one millisecond',
    orders: ONE_ORDER,
    events: [A('order.created', T), A('order.next_action', T), A('order.succeeded', T)],
    truth: truthOf({ order_A: { status: 'success' } }, current('order_A')),
    ends: [
      'mo_1 paid | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 0 | attempts (order_A succeeded)',
    ],
  },
  {
    name: 'abandoned',
    orders: ONE_ORDER,
    events: [A('order.created', T), A('order.failed', T + 1), sessionEvent('session.expired', { created: T + 2 })],
    truth: truthOf({ order_A: { status: 'failed' } }, current('order_A')),
    ends: ['mo_1 payment_failed | delivery none | session expired | basis - | refunded 0 | attempts (order_A failed)'],
  },
  {
    name: 'a payment that a promotion brought to nothing',
    orders: ONE_ORDER,
    events: [A('order.created', T), A('order.succeeded', T + 1, { amountTotal: '0' })],
    truth: truthOf({ order_A: { status: 'success', amount: '0' } }, current('order_A')),
    ends: [
      'mo_1 paid | delivery pending (task) | session open | basis 0 USD of order_A | refunded 0 | attempts (order_A succeeded)',
    ],
  },
  {
    name: 'a success that an older failure contradicts',
    orders: ONE_ORDER,
    events: [A('order.created', T), A('order.failed', T + 1), A('order.succeeded', T + 2)],
    truth: truthOf({ order_A: { status: 'success' } }, current('order_A')),
    ends: [
      'mo_1 paid | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 0 | attempts (order_A succeeded)',
    ],
  },
  {
    name: 'success and failure of one attempt in one millisecond',
    orders: ONE_ORDER,
    events: [A('order.created', T), A('order.failed', T + 1), A('order.succeeded', T + 1)],
    truth: truthOf({ order_A: { status: 'success' } }, current('order_A')),
    ends: [
      'mo_1 paid | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 0 | attempts (order_A succeeded)',
    ],
  },
  {
    name: 'verification and failure of one attempt in one millisecond',
    orders: ONE_ORDER,
    events: [A('order.created', T), A('order.next_action', T + 1), A('order.failed', T + 1)],
    truth: truthOf({ order_A: { status: 'failed' } }, current('order_A')),
    ends: ['mo_1 payment_failed | delivery none | session open | basis - | refunded 0 | attempts (order_A failed)'],
  },
  {
    name: 'declined, then verification of another attempt begun at the same time',
    orders: ONE_ORDER,
    events: [A('order.created', T), A('order.failed', T + 1), B('order.created', T), B('order.next_action', T + 1)],
    truth: truthOf({ order_A: { status: 'failed' }, order_B: { status: 'requires_action' } }, current('order_B')),
    ends: [
      'mo_1 action_required | delivery none | session open | basis - | refunded 0 | attempts (order_A failed, order_B action_required)',
    ],
  },
  {
    name: 'declined, then paid with another attempt, refunded in two parts',
    orders: ONE_ORDER,
    events: [
      A('order.created', T),
      A('order.failed', T + 1),
      B('order.created', T + 2),
      B('order.succeeded', T + 3),
      sessionEvent('session.complete', { created: T + 4 }),
      refundA('rfd_1', '5', 'order_B'),
      refundA('rfd_2', '14.99', 'order_B'),
    ],
    truth: truthOf({ order_A: { status: 'failed' }, order_B: { status: 'refunded' } }, current('order_B')),
    ends: [
      'mo_1 refunded | delivery pending (task) | session completed | basis 19.99 USD of order_B | refunded 19.99 (rfd_1, rfd_2) | attempts (order_A failed, order_B succeeded)',
    ],
  },
  {
    name: 'two successes: the first to arrive is the basis, the other is for a person',
    orders: ONE_ORDER,
    events: [
      A('order.created', T),
      A('order.succeeded', T + 2),
      B('order.created', T + 1),
      B('order.succeeded', T + 3),
      sessionEvent('session.complete', { created: T + 4 }),
    ],
    truth: truthOf({ order_A: { status: 'success' }, order_B: { status: 'success' } }, current('order_B')),
    ends: [
      'mo_1 paid | delivery pending (task) | session completed | basis 19.99 USD of order_A | refunded 0 | attempts (order_A succeeded, order_B succeeded) | cases (refund_payment_basis_conflict order_B)',
      'mo_1 paid | delivery pending (task) | session completed | basis 19.99 USD of order_B | refunded 0 | attempts (order_A succeeded, order_B succeeded) | cases (refund_payment_basis_conflict order_A)',
    ],
  },
  {
    name: 'two successes and a refund of one: booked only where that one is the basis',
    orders: ONE_ORDER,
    events: [A('order.succeeded', T + 2), B('order.succeeded', T + 2), refundA('rfd_1', '5')],
    truth: truthOf({ order_A: { status: 'partial_refunded' }, order_B: { status: 'success' } }, current('order_B')),
    ends: [
      'mo_1 paid | delivery pending (task) | session open | basis 19.99 USD of order_B | refunded 0 | attempts (order_A succeeded, order_B succeeded) | cases (refund_order_or_currency_conflict rfd_1, refund_payment_basis_conflict order_A)',
      'mo_1 partial_refunded | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 5 (rfd_1) | attempts (order_A succeeded, order_B succeeded) | cases (refund_payment_basis_conflict order_B)',
    ],
  },
  {
    name: 'the session completes, then expires',
    orders: ONE_ORDER,
    events: [
      A('order.created', T),
      A('order.succeeded', T + 1),
      sessionEvent('session.complete', { created: T + 2 }),
      sessionEvent('session.expired', { created: T + 3 }),
    ],
    truth: truthOf({ order_A: { status: 'success' } }, current('order_A')),
    ends: [
      'mo_1 paid | delivery pending (task) | session expired | basis 19.99 USD of order_A | refunded 0 | attempts (order_A succeeded)',
    ],
  },
  {
    name: 'the session completes and expires in one millisecond: the first to arrive stays, a person has the other',
    orders: ONE_ORDER,
    events: [
      A('order.succeeded', T + 1),
      sessionEvent('session.complete', { created: T + 2 }),
      sessionEvent('session.expired', { created: T + 2 }),
    ],
    truth: truthOf({ order_A: { status: 'success' } }, current('order_A')),
    ends: [
      'mo_1 paid | delivery pending (task) | session completed | basis 19.99 USD of order_A | refunded 0 | attempts (order_A succeeded) | cases (session_terminal_same_version_conflict null)',
      'mo_1 paid | delivery pending (task) | session expired | basis 19.99 USD of order_A | refunded 0 | attempts (order_A succeeded) | cases (session_terminal_same_version_conflict null)',
    ],
  },
  {
    name: 'refunded in part',
    orders: ONE_ORDER,
    events: [A('order.created', T), A('order.succeeded', T + 1), refundA('rfd_1', '5')],
    truth: truthOf({ order_A: { status: 'partial_refunded' } }, current('order_A')),
    ends: [
      'mo_1 partial_refunded | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 5 (rfd_1) | attempts (order_A succeeded)',
    ],
  },
  {
    name: 'two refunds of which one passes the basis: the first to arrive is booked',
    orders: ONE_ORDER,
    events: [A('order.created', T), A('order.succeeded', T + 1), refundA('rfd_1', '10'), refundA('rfd_2', '10')],
    truth: truthOf({ order_A: { status: 'partial_refunded' } }, current('order_A')),
    ends: [
      'mo_1 partial_refunded | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 10 (rfd_1) | attempts (order_A succeeded) | cases (refund_total_exceeds_payment_basis rfd_2)',
      'mo_1 partial_refunded | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 10 (rfd_2) | attempts (order_A succeeded) | cases (refund_total_exceeds_payment_basis rfd_1)',
    ],
  },
  {
    name: 'three refunds of which two fit together: the first to arrive settles which',
    orders: ONE_ORDER,
    events: [
      A('order.created', T),
      A('order.succeeded', T + 1),
      refundA('rfd_1', '10'),
      refundA('rfd_2', '15'),
      refundA('rfd_3', '9.99'),
    ],
    truth: truthOf({ order_A: { status: 'refunded' } }, current('order_A')),
    ends: [
      'mo_1 refunded | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 15 (rfd_2) | attempts (order_A succeeded) | cases (refund_total_exceeds_payment_basis rfd_1, refund_total_exceeds_payment_basis rfd_3)',
      'mo_1 refunded | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 19.99 (rfd_1, rfd_3) | attempts (order_A succeeded) | cases (refund_total_exceeds_payment_basis rfd_2)',
    ],
  },
  {
    name: 'a contradicted success, found refunded in full when Clink is asked: then nothing is delivered',
    orders: ONE_ORDER,
    events: [A('order.created', T), A('order.failed', T + 1), A('order.succeeded', T + 2), refundA('rfd_1', '19.99')],
    truth: truthOf({ order_A: { status: 'refunded' } }, current('order_A')),
    ends: [
      'mo_1 refunded | delivery none | session open | basis 19.99 USD of order_A | refunded 19.99 (rfd_1) | attempts (order_A succeeded)',
      'mo_1 refunded | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 19.99 (rfd_1) | attempts (order_A succeeded)',
    ],
  },
  {
    name: 'a contradicted success, found refunded in part when Clink is asked: then a person says what is owed',
    orders: ONE_ORDER,
    events: [A('order.created', T), A('order.failed', T + 1), A('order.succeeded', T + 2), refundA('rfd_1', '5')],
    truth: truthOf({ order_A: { status: 'partial_refunded' } }, current('order_A')),
    ends: [
      'mo_1 partial_refunded | delivery none | session open | basis 19.99 USD of order_A | refunded 5 (rfd_1) | attempts (order_A succeeded) | cases (refunded_before_fulfillment order_A)',
      'mo_1 partial_refunded | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 5 (rfd_1) | attempts (order_A succeeded)',
    ],
  },
  {
    name: 'one attempt claimed by two orders: the first to arrive owns it, the other is for a person',
    orders: TWO_ORDERS,
    events: [
      A('order.created', T),
      A('order.succeeded', T + 1),
      A('order.created', T, { ...otherOwner, id: 'event:created:foreign' }),
      A('order.succeeded', T + 1, { ...otherOwner, id: 'event:succeeded:foreign' }),
    ],
    truth: truthOf({ order_A: { status: 'success' } }, current('order_A'), {
      [SESSION_ID]: 'mo_1',
      [OTHER_SESSION_ID]: 'mo_2',
    }),
    ends: [
      'mo_1 paid | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 0 | attempts (order_A succeeded)\nmo_2 pending | delivery none | session open | basis - | refunded 0 | attempts | cases (payment_attempt_ownership_conflict order_A)',
      'mo_1 pending | delivery none | session open | basis - | refunded 0 | attempts | cases (payment_attempt_ownership_conflict order_A)\nmo_2 paid | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 0 | attempts (order_A succeeded)',
    ],
  },
  {
    name: 'events with a session that is not ours',
    orders: ONE_ORDER,
    events: [
      A('order.created', T),
      A('order.succeeded', T + 1),
      B('order.succeeded', T + 2, { clinkSessionId: 'sess_foreign' }),
      sessionEvent('session.expired', { created: T + 3, clinkSessionId: 'sess_foreign' }),
    ],
    truth: truthOf({ order_A: { status: 'success' } }, current('order_A')),
    ends: [
      'mo_1 paid | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 0 | attempts (order_A succeeded) | cases (order_event_session_mismatch order_B, session_event_ownership_conflict null)',
    ],
  },
  {
    name: 'events that never find their order',
    orders: ONE_ORDER,
    events: [
      A('order.created', T),
      A('order.succeeded', T + 1),
      orderEvent('order.succeeded', { clinkOrderId: 'order_Z', merchantOrderId: null, id: 'event:no-reference' }),
      refundEvent({ clinkOrderId: 'order_Z', refundId: 'rfd_Z' }),
      orderEvent('order.created', { clinkOrderId: 'order_R', merchantOrderId: null, recurring: true }),
    ],
    truth: truthOf({ order_A: { status: 'success' } }, current('order_A')),
    ends: [
      'mo_1 paid | delivery pending (task) | session open | basis 19.99 USD of order_A | refunded 0 | attempts (order_A succeeded)\nwaiting: event:no-reference event:refund:rfd_Z',
    ],
  },
  {
    name: 'three attempts, the third paid',
    orders: ONE_ORDER,
    events: [
      A('order.created', T),
      A('order.failed', T + 1),
      B('order.created', T + 2),
      B('order.next_action', T + 3),
      B('order.failed', T + 4),
      C('order.created', T + 5),
      C('order.succeeded', T + 6),
      sessionEvent('session.complete', { created: T + 7 }),
    ],
    truth: truthOf(
      { order_A: { status: 'failed' }, order_B: { status: 'failed' }, order_C: { status: 'success' } },
      current('order_C'),
    ),
    ends: [
      'mo_1 paid | delivery pending (task) | session completed | basis 19.99 USD of order_C | refunded 0 | attempts (order_A failed, order_B failed, order_C succeeded)',
    ],
  },
  {
    name: 'verified, paid, refunded in three parts to the last cent',
    orders: ONE_ORDER,
    events: [
      A('order.created', T),
      A('order.next_action', T + 1),
      A('order.succeeded', T + 2),
      sessionEvent('session.complete', { created: T + 3 }),
      refundA('rfd_1', '5'),
      refundA('rfd_2', '4.99'),
      refundA('rfd_3', '10'),
      sessionEvent('session.expired', { created: T + 4 }),
    ],
    truth: truthOf({ order_A: { status: 'refunded' } }, current('order_A')),
    ends: [
      'mo_1 refunded | delivery pending (task) | session expired | basis 19.99 USD of order_A | refunded 19.99 (rfd_1, rfd_2, rfd_3) | attempts (order_A succeeded)',
    ],
  },
];
