import { decideEvent } from '../../functions/decisions/decide-event.ts';
import { Money, sumOf } from '../../functions/decisions/money.ts';
import { isPaid, type MerchantOrder, type PaymentStatus } from '../../functions/decisions/order.ts';
import { type JournalRow, pageKey } from '../support/memory-store.ts';
import { type Snapshot, storeOf } from './snapshot.ts';

/** What must be true of whatever is stored, and of every step from one stored state to the next. */
export interface Invariant {
  readonly name: string;
  /** What breaks it, in words; `before` is an earlier state of the same store. */
  broken(now: Snapshot, before: Snapshot | null): Iterable<string>;
}

/** One string for each breach: the invariant's name and what broke it. */
export function breaches(now: Snapshot, before: Snapshot | null = null): string[] {
  const found: string[] = [];
  for (const { name, broken } of INVARIANTS) for (const what of broken(now, before)) found.push(`${name}: ${what}`);
  return found;
}

const MONEY_RANK = new Map<PaymentStatus, number>([
  ['paid', 1],
  ['partial_refunded', 2],
  ['refunded', 3],
]);
const rankOf = (status: PaymentStatus | null) => MONEY_RANK.get(status ?? 'created') ?? 0;

/** Reviews after which the state must be as if the event had never come. Other reviews keep what was true beside them. */
const QUARANTINE: ReadonlySet<string> = new Set([
  'order_event_missing_required_identifier',
  'order_event_session_mismatch',
  'payment_attempt_ownership_conflict',
  'session_event_missing_required_identifier',
  'session_event_ownership_conflict',
  'session_event_invalid_created',
  'session_event_status_mismatch',
  'session_terminal_same_version_conflict',
  'invalid_refund_record',
  'refund_id_immutable_fields_conflict',
  'refund_id_reused_with_missing_attempt',
  'refund_order_or_currency_conflict',
  'stored_successful_refund_conflict',
  'refund_total_exceeds_payment_basis',
  'order_query_ownership_conflict',
  'order_query_contradicts_success',
  'session_response_ownership_conflict',
  'session_order_ownership_conflict',
  'refund_order_query_ownership_conflict',
  'refund_reconciliation_order_conflict',
]);

export const INVARIANTS: readonly Invariant[] = [
  {
    name: 'paid never becomes unpaid, nor a refund less',
    *broken(now, before) {
      for (const order of before?.orders ?? []) {
        const status = orderOf(now, order.id)?.paymentStatus ?? null;
        if (rankOf(status) < rankOf(order.paymentStatus))
          yield `${order.id} went from ${order.paymentStatus} to ${status}`;
      }
      for (const { merchantOrderId, reason, paymentStatusBefore, paymentStatusAfter } of now.journal) {
        if (rankOf(paymentStatusAfter) < rankOf(paymentStatusBefore))
          yield `${merchantOrderId} by ${reason}: ${paymentStatusBefore} to ${paymentStatusAfter}`;
      }
    },
  },
  {
    name: 'one refund basis, never overwritten, of a successful attempt, exactly while paid',
    *broken(now, before) {
      for (const { id, refundBasis } of before?.orders ?? []) {
        const basis = orderOf(now, id)?.refundBasis;
        if (refundBasis && JSON.stringify(basis) !== JSON.stringify(refundBasis))
          yield `${id} had ${JSON.stringify(refundBasis)} and has ${JSON.stringify(basis)}`;
      }
      for (const { id, paymentStatus, refundBasis } of now.orders) {
        if (isPaid(paymentStatus) !== (refundBasis !== null))
          yield `${id} is ${paymentStatus}, basis ${JSON.stringify(refundBasis)}`;
        const attempt = now.attempts.find(({ clinkOrderId }) => clinkOrderId === refundBasis?.clinkOrderId);
        if (refundBasis && (attempt?.merchantOrderId !== id || attempt.status !== 'succeeded'))
          yield `${id} was paid by ${refundBasis.clinkOrderId}, which is ${attempt?.status} of ${attempt?.merchantOrderId}`;
      }
    },
  },
  {
    name: 'the refunded total is the sum of the stored refunds, within the basis; a stored refund stays as it is',
    *broken(now, before) {
      for (const { id, refundedAmount, refundBasis } of now.orders) {
        const refunds = now.refunds.filter(({ merchantOrderId }) => merchantOrderId === id);
        const total = sumOf(refunds.map(({ amount }) => amount));
        if (!total.equals(refundedAmount)) yield `${id} says ${refundedAmount}, its refunds are ${total.toFixed()}`;
        if (total.greaterThan(new Money(refundBasis?.amount ?? 0)))
          yield `${id} gave back ${total.toFixed()} of ${refundBasis?.amount}`;
        for (const { refundId, currency, clinkOrderId } of refunds) {
          if (currency !== refundBasis?.currency || clinkOrderId !== refundBasis.clinkOrderId)
            yield `${refundId} is not of what ${id} was paid with`;
        }
      }
      for (const refund of before?.refunds ?? []) {
        const stored = now.refunds.find(({ refundId }) => refundId === refund.refundId);
        if (JSON.stringify(stored) !== JSON.stringify(refund)) yield `${refund.refundId} changed`;
      }
    },
  },
  {
    // An order that Clink's answer shows as refunded at once was never `paid` here, and is not delivered.
    name: 'one fulfil task for each order that became paid, and none for any other',
    *broken(now) {
      for (const order of now.orders) {
        const tasks = now.tasks.filter(
          ({ task, merchantOrderId }) => task === 'fulfill' && merchantOrderId === order.id,
        );
        const becamePaid = now.journal.some(
          (row) => row.merchantOrderId === order.id && row.paymentStatusAfter === 'paid',
        );
        const expected = becamePaid ? 1 : 0;
        if (tasks.length !== expected) yield `${order.id} has ${tasks.length} fulfil tasks, not ${expected}`;
        if (becamePaid && order.fulfillmentStatus === 'none' && order.paymentStatus !== 'refunded')
          yield `${order.id} is to be delivered and does not say so`;
        if (!becamePaid && isPaid(order.paymentStatus) && !foundRefunded(now.journal, order))
          yield `${order.id} is ${order.paymentStatus}, and nothing says how`;
      }
    },
  },
  {
    name: 'no processed event without its effect or its case',
    *broken(now) {
      for (const { event, status } of now.events) {
        if (status !== 'processed' || event.kind === 'other') continue;
        const rows = now.journal.filter(({ sourceId }) => sourceId === event.id);
        if (!rows.some(({ outcome }) => outcome !== 'deferred')) yield `${event.id} has no decision that closed it`;
        const reviewed = rows.some((row) => now.cases.some((filed) => isCaseOf(filed, row)));
        if (!reviewed && !hasEffect(now, event, rows)) yield `${event.id} left nothing behind`;
      }
    },
  },
  {
    name: 'no effect from what was quarantined',
    *broken(now, before) {
      for (const { reason, sourceId, paymentStatusBefore, paymentStatusAfter } of now.journal) {
        if (QUARANTINE.has(reason) && paymentStatusBefore !== paymentStatusAfter)
          yield `${sourceId} (${reason}) moved its order from ${paymentStatusBefore} to ${paymentStatusAfter}`;
      }
      const [row, ...others] = newRows(now, before);
      if (!before || !row || others.length > 0 || !QUARANTINE.has(row.reason)) return;
      for (const name of ['orders', 'attempts', 'refunds'] as const) {
        if (changed(now, before, name)) yield `${row.sourceId} (${row.reason}) changed the ${name}`;
      }
    },
  },
  {
    name: 'a final attempt stays as it is, unless Clink says otherwise when asked; a success stays for ever',
    *broken(now, before) {
      const rows = newRows(now, before);
      for (const { clinkOrderId, merchantOrderId, status } of before?.attempts ?? []) {
        const attempt = now.attempts.find((a) => a.clinkOrderId === clinkOrderId);
        if (attempt?.merchantOrderId !== merchantOrderId) yield `${clinkOrderId} changed its owner`;
        const asked = rows.some((row) => row.source === 'order_answer' && row.clinkOrderId === clinkOrderId);
        const mayMove = status === 'failed' ? asked : status !== 'succeeded';
        if (!mayMove && attempt?.status !== status) yield `${clinkOrderId} went from ${status} to ${attempt?.status}`;
      }
    },
  },
  {
    name: 'session events move the session only',
    *broken(now, before) {
      const sessionEvents = new Set(
        now.events.filter(({ event }) => event.kind === 'session').map(({ event }) => event.id),
      );
      const rows = newRows(now, before);
      if (!before || rows.length === 0 || !rows.every(({ sourceId }) => sessionEvents.has(sourceId))) return;
      const rest = (orders: readonly MerchantOrder[]) =>
        orders.map((order) => ({ ...order, sessionStatus: 'open', sessionEventCreated: null }));
      if (JSON.stringify(sorted(rest(now.orders))) !== JSON.stringify(sorted(rest(before.orders))))
        yield `${rows[0]?.sourceId} changed more than the session`;
      for (const name of ['attempts', 'refunds'] as const) {
        if (changed(now, before, name)) yield `${rows[0]?.sourceId} changed the ${name}`;
      }
    },
  },
  {
    name: 'every deferred event has a live task, or a task that failed and a page about it',
    *broken(now) {
      for (const { event, status } of now.events) {
        if (status !== 'pending') continue;
        const key = `reprocess_webhook:${event.id}`;
        const task = now.tasks.find(({ dedupeKey }) => dedupeKey === key);
        const isLive = task?.status === 'pending' || task?.status === 'processing';
        const isPaged = task?.status === 'failed' && now.tasks.some(({ dedupeKey }) => dedupeKey === pageKey(key));
        if (!isLive && !isPaged) yield `${event.id} waits, its task is ${task?.status ?? 'missing'}`;
      }
    },
  },
  {
    name: 'no event that could be decided by now is left to its backoff, or failed',
    *broken(now) {
      const waiting = now.events.filter(({ event, status }) => {
        const task = now.tasks.find(({ dedupeKey }) => dedupeKey === `reprocess_webhook:${event.id}`);
        return status === 'pending' && task && !task.due && task.status !== 'processing';
      });
      if (waiting.length === 0) return;
      const store = storeOf(now);
      for (const { event } of waiting) {
        const { outcome, reason } = decideEvent(event, store.factsOf(event));
        if (outcome !== 'deferred') yield `${event.id} would be ${outcome} by ${reason}, and nothing wakes it`;
      }
    },
  },
  {
    name: 'every case has a task that brings it before a person, and every refund one that asks for the order',
    *broken(now) {
      const keys = new Set(now.tasks.map(({ dedupeKey }) => dedupeKey));
      for (const { dedupeKey } of now.cases) {
        if (!keys.has(`manual_reconciliation:${dedupeKey}`)) yield `nobody is told of ${dedupeKey}`;
      }
      for (const { refundId } of now.refunds) {
        if (!keys.has(`refund_reconcile:${refundId}`)) yield `nobody asks about ${refundId}`;
      }
    },
  },
  {
    name: 'a row is in flight exactly while a token owns it',
    *broken(now) {
      for (const { dedupeKey, status, claimToken } of now.tasks) {
        if ((status === 'processing') !== (claimToken !== null)) yield `${dedupeKey} is ${status} under ${claimToken}`;
      }
    },
  },
];

function orderOf({ orders }: Snapshot, id: string): MerchantOrder | undefined {
  return orders.find((order) => order.id === id);
}

/** Whether an answer took the order from unpaid straight to refunded. */
function foundRefunded(journal: readonly JournalRow[], { id }: MerchantOrder): boolean {
  return journal.some(
    ({ merchantOrderId, source, paymentStatusBefore, paymentStatusAfter }) =>
      merchantOrderId === id &&
      source === 'order_answer' &&
      rankOf(paymentStatusBefore) === 0 &&
      rankOf(paymentStatusAfter) > 1,
  );
}

function isCaseOf(filed: Snapshot['cases'][number], row: JournalRow): boolean {
  // A conflict that comes again finds the case of its first time, and may by then have another reason.
  return (
    row.outcome === 'manual_review' &&
    filed.merchantOrderId === row.merchantOrderId &&
    filed.clinkOrderId === row.clinkOrderId
  );
}

type StoredEvent = Snapshot['events'][number]['event'];

function hasEffect(now: Snapshot, event: StoredEvent, rows: readonly JournalRow[]): boolean {
  switch (event.kind) {
    case 'order': {
      if (event.merchantOrderId === null) return event.recurring;
      const attempt = now.attempts.find(({ clinkOrderId }) => clinkOrderId === event.clinkOrderId);
      if (attempt?.merchantOrderId !== event.merchantOrderId) return false;
      if (event.type === 'order.created') return attempt.attemptCreatedAt !== null;
      if (event.attemptStatus !== 'succeeded' || rows.some(({ source }) => source === 'order_answer')) return true;
      return attempt.status === 'succeeded' && isPaid(orderOf(now, event.merchantOrderId)?.paymentStatus ?? 'created');
    }
    case 'session': {
      const seen = orderOf(now, event.merchantOrderId ?? '')?.sessionEventCreated ?? -1;
      return event.created !== null && seen >= event.created;
    }
    case 'refund':
      return now.refunds.some(({ refundId }) => refundId === event.refundId);
    case 'other':
      return true;
  }
}

/** Decisions between the two states. Rows are numbered when they are written, and may be committed in another order. */
function newRows(now: Snapshot, before: Snapshot | null): readonly JournalRow[] {
  if (!before) return [];
  const { length } = before.journal;
  const isContinued = JSON.stringify(now.journal[length - 1]) === JSON.stringify(before.journal[length - 1]);
  if (isContinued) return now.journal.slice(length);
  const known = before.journal.map((row) => JSON.stringify(row));
  return now.journal.filter((row) => {
    const at = known.indexOf(JSON.stringify(row));
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
}

function changed(now: Snapshot, before: Snapshot, name: 'orders' | 'attempts' | 'refunds'): boolean {
  return JSON.stringify(sorted(now[name])) !== JSON.stringify(sorted(before[name]));
}

function sorted(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
