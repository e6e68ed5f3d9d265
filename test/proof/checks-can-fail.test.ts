import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { inTransaction } from '../../functions/database/transaction.ts';
import type { ReasonCode } from '../../functions/decisions/decision.ts';
import { merchantOrder } from '../support/clink-events.ts';
import { RULES, type Rules } from '../support/memory-store.ts';
import { CASES, type Case } from './cases.ts';
import { openProofDatabase, type ProofDatabase } from './database.ts';
import { Interleavings } from './every-interleaving.ts';
import { tryEveryOrder } from './every-order.ts';
import type { Rewrite } from './gated-sql.ts';
import { HISTORIES } from './histories.ts';
import { endTheSame, holdInvariants } from './random-orders.ts';
import { holdStoreToDatabase } from './same-on-both.ts';
import type { Actor } from './scheduler.ts';
import { TWO_ORDERS, truthOf } from './world.ts';

/** A check that cannot fail is a defect: each rule is broken on purpose, and the check that guards it must say so. */

const SEED = 20_260_601;
const decide = RULES.decideEvent;

/** The rules with other facts put before them. */
function withFacts(change: (facts: Parameters<typeof decide>[1]) => Parameters<typeof decide>[1]): Rules {
  return { ...RULES, decideEvent: (event, facts) => decide(event, change(facts)) };
}

/** The rules with their decisions changed. */
function withDecisions(change: (decision: ReturnType<typeof decide>) => ReturnType<typeof decide>): Rules {
  return { ...RULES, decideEvent: (event, facts) => change(decide(event, facts)) };
}

const forgetBasis = withFacts((facts) => ({ ...facts, order: facts.order && { ...facts.order, refundBasis: null } }));
const forgetToWake: Rules = { ...RULES, wakes: () => false };
const FOREIGN: ReadonlySet<ReasonCode> = new Set<ReasonCode>(['order_event_session_mismatch']);

describe('every order of arrival', () => {
  const BROKEN: readonly (readonly [string, string, Rules, RegExp])[] = [
    ['a second success overwrites the basis', 'two successes: the first', forgetBasis, /^one refund basis/],
    ['nothing wakes what waits', 'refunded in part', forgetToWake, /^no event that could be decided|^ends in/],
    [
      'refunds are not added up',
      'two refunds of which one',
      withFacts((facts) => ({ ...facts, refunds: [] })),
      /^the refunded total/,
    ],
    [
      'the session that ends last by arrival wins',
      'the session completes, then',
      withFacts((facts) => ({ ...facts, order: facts.order && { ...facts.order, sessionEventCreated: null } })),
      /^ends in: .*session completed/,
    ],
    [
      'a paid order is delivered under each event',
      'one attempt with verification',
      withDecisions((decision) => ({
        ...decision,
        tasks: decision.tasks.map((task) => ({ ...task, dedupeKey: `${task.dedupeKey}:${decision.reason}` })),
        orderPatch: { ...decision.orderPatch, fulfillmentStatus: 'none' },
      })),
      /^one fulfil task/,
    ],
    [
      'a quarantined event touches the order',
      'events with a session',
      withDecisions((decision) =>
        FOREIGN.has(decision.reason) ? { ...decision, orderPatch: { currentAttemptConfirmed: true } } : decision,
      ),
      /^no effect from what was quarantined/,
    ],
    [
      'a session event is taken for a payment',
      'abandoned',
      withDecisions((decision) =>
        decision.reason === 'session_advanced'
          ? { ...decision, orderPatch: { ...decision.orderPatch, paymentStatus: 'action_required' } }
          : decision,
      ),
      /^session events move the session only/,
    ],
    [
      'a failed attempt comes back to life by an event',
      'one attempt with verification',
      withDecisions((decision) =>
        decision.reason === 'attempt_event_outdated'
          ? { ...decision, attemptPatch: { clinkOrderId: 'order_A', patch: { status: 'action_required' } } }
          : decision,
      ),
      /^a final attempt stays/,
    ],
    [
      'a deferred event gets no task',
      'refunded in part',
      withDecisions((decision) => ({ ...decision, tasks: [] })),
      /^every deferred event/,
    ],
    [
      'a refund is processed and not booked',
      'refunded in part',
      withDecisions((decision) => (decision.newRefund ? { ...decision, newRefund: null, orderPatch: {} } : decision)),
      /^no processed event without its effect/,
    ],
  ];

  it.each(BROKEN)('%s: is found', (_, begin, rules, what) => {
    const history = HISTORIES.find(({ name }) => name.startsWith(begin));
    if (!history) throw new Error(`no history begins with ${begin}`);
    const { violations } = tryEveryOrder(history, rules);
    expect(violations.map((violation) => violation.what).join('\n')).toMatch(new RegExp(what.source, 'm'));
    expect(violations[0]?.steps.length).toBeGreaterThan(0);
    expect(tryEveryOrder(history).violations).toEqual([]);
  });

  it('an end that no order comes to is found', () => {
    const [history] = HISTORIES;
    if (!history) throw new Error('there is no history');
    const { violations } = tryEveryOrder({ ...history, ends: [...history.ends, 'never'] });
    expect(violations.map(({ what }) => what)).toEqual(['no order ends in: never']);
  });

  it('random histories find a broken rule, and print the seed and a history that was shrunk', () => {
    expect(() => holdInvariants(300, SEED, forgetBasis)).toThrow(new RegExp(`seed: ${SEED}[\\s\\S]*Shrunk`));
    const lastArrivalWins = withFacts((facts) => ({
      ...facts,
      order: facts.order && { ...facts.order, sessionEventCreated: null },
    }));
    expect(() => endTheSame(300, SEED, lastArrivalWins)).toThrow(/Shrunk/);
  });
});

describe('on PostgreSQL', () => {
  let db: ProofDatabase;
  let interleavings: Interleavings;
  beforeAll(async () => {
    db = await openProofDatabase(inject('databaseServerUrl'));
    interleavings = new Interleavings(db);
  });
  afterAll(() => db.close());

  const caseOf = (begin: string): Case => {
    const found = CASES.find(({ name }) => name.startsWith(begin));
    if (!found) throw new Error(`no case begins with ${begin}`);
    return found;
  };
  const replacing =
    (marker: string, from: string, to: string): Rewrite =>
    (texts) =>
      texts.join('').includes(marker) ? texts.map((text) => text.replace(from, to)) : texts;

  const both =
    (one: Rewrite, other: Rewrite): Rewrite =>
    (texts) =>
      other(one(texts));

  /** Only in the statement by which a worker takes a row over. */
  const TAKING = 'order_id AS merchant_order_id, clink_order_id, payload';
  const TOKEN_GUARD = ' AND claim_token = ';

  it('a store in memory that keeps something else is found', async () => {
    const broken = holdStoreToDatabase(db, { runs: 50, seed: SEED, rules: forgetToWake, endOnFailure: true });
    await expect(broken).rejects.toThrow(/Property failed/);
  });

  const BROKEN: readonly (readonly [string, string, Rewrite, RegExp])[] = [
    [
      'no lock on the order',
      "success beside another attempt's failure",
      replacing('FROM merchant_orders', ' FOR UPDATE', ''),
      /paid never becomes unpaid/,
    ],
    [
      'no lock on an attempt that is not stored',
      'a refund that comes and is looked at again',
      replacing("'attempt:'", 'pg_advisory_xact_lock(hashtextextended(', 'length(concat('),
      /no event that could be decided/,
    ],
    [
      'nothing wakes what waits',
      'a deferred refund looked at again',
      replacing('WITH waiting', 'WHERE id IN (SELECT id FROM rows)', 'WHERE FALSE'),
      /no event that could be decided/,
    ],
    [
      'a waking that spares the tasks in flight',
      'a deferred refund looked at again',
      replacing('WITH waiting', "woken = (status = 'processing')", 'woken = FALSE'),
      /no event that could be decided/,
    ],
    [
      'a last try that does not ask whether it was woken',
      'a last try that fails',
      replacing("SET status = 'failed'", ' AND NOT woken', ''),
      /no event that could be decided/,
    ],
    [
      'a task finished without its token',
      'a worker that finishes beside',
      replacing("SET status = 'succeeded'", TOKEN_GUARD, " AND '' <> "),
      /a task row is moved only by its owner/,
    ],
    [
      'a ticket that is good twice',
      'a message twice',
      both(replacing(TAKING, TOKEN_GUARD, " AND '' <> "), replacing(TAKING, ' AND started_at IS NULL', '')),
      /workers began under one ticket/,
    ],
    [
      'a lease renewed after its end',
      'heartbeats beside',
      both(
        replacing('SET lease_until = now() +', TOKEN_GUARD, " AND '' <> "),
        replacing('SET lease_until = now() +', ' AND lease_until > now()', ''),
      ),
      /which owns nothing/,
    ],
    [
      'claimers that neither wait for each other nor count what is in flight',
      'two claimers, room for one',
      both(
        replacing('pg_advisory_xact_lock', 'pg_advisory_xact_lock(hashtext(', 'length(concat('),
        replacing('FOR UPDATE SKIP LOCKED', 'statement_timestamp()) < ', 'statement_timestamp()) < 1000 + '),
      ),
      /rows were claimed/,
    ],
  ];

  it.each(BROKEN)('%s: is found', async (_, begin, rewrite, what) => {
    const options = { limit: 100, seed: SEED };
    const broken = await interleavings.try(caseOf(begin), { ...options, rewrite });
    expect(broken.violations.join('\n')).toMatch(what);
    expect((await interleavings.try(caseOf(begin), options)).violations).toEqual([]);
  });

  it('locks that are taken in two orders are found', async () => {
    const locking = (name: string, ids: readonly string[]): Actor => ({
      name,
      run: (sql) =>
        inTransaction(sql, async (tx) => {
          for (const id of ids) await tx`SELECT FROM merchant_orders WHERE id = ${id} FOR UPDATE`;
          return { result: null, writes: [] };
        }),
    });
    const deadly: Case = {
      name: 'two orders locked in two orders',
      orders: TWO_ORDERS,
      truth: truthOf({}, {}),
      prepare: async () => [locking('there', ['mo_1', 'mo_2']), locking('back', ['mo_2', 'mo_1'])],
    };
    const { violations } = await interleavings.try(deadly, { limit: 40, seed: SEED });
    expect(violations.join('\n')).toMatch(/failed with a deadlock/);
    expect(violations.join('\n')).toMatch(/by there, back/);
  });

  it('an update that was lost is found by the end it leads to', async () => {
    const counting = (name: string): Actor => ({
      name,
      async run(sql) {
        const [row] = await sql<{ status: string }[]>`
          SELECT fulfillment_status AS status FROM merchant_orders WHERE id = 'mo_1'`;
        const next = row?.status === 'none' ? 'failed' : 'fulfilled';
        await sql`UPDATE merchant_orders SET fulfillment_status = ${next} WHERE id = 'mo_1'`;
      },
    });
    const losing: Case = {
      name: 'read, then write',
      orders: [merchantOrder()],
      truth: truthOf({}, {}),
      prepare: async () => [counting('one'), counting('other')],
    };
    const { violations } = await interleavings.try(losing, { limit: 40, seed: SEED });
    expect(violations.join('\n')).toMatch(/no order one after the other ends in: mo_1 pending \| delivery failed/);
  });
});
