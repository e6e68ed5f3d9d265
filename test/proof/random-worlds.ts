import fc from 'fast-check';
import type { ClinkEvent } from '../../functions/decisions/event.ts';
import { Money } from '../../functions/decisions/money.ts';
import { merchantOrder, orderEvent, refundEvent, sessionEvent, T } from '../support/clink-events.ts';
import { AGAIN } from './end.ts';
import { type AttemptTruth, truthOf, type World } from './world.ts';

/** What is thrown at the store, step by step. */
export type Step =
  | { readonly do: 'deliver'; readonly event: ClinkEvent }
  /** Runs one open question, chosen by its place among them. */
  | { readonly do: 'run'; readonly place: number };

export interface RandomWorld {
  readonly world: World;
  /** Every event of the world at least once, in any order, with questions asked at any moment. */
  readonly steps: readonly Step[];
}

interface AttemptPlan {
  readonly createdAfter: number;
  readonly verification: number | null;
  readonly result: 'success' | 'failed' | 'failed then success' | null;
  readonly resultAfter: number;
  readonly refunds: readonly number[];
}

/** `wild` worlds have several successes, refunds beyond the basis and sessions that end twice; only invariants hold there. */
export interface Wildness {
  readonly wild: boolean;
}

const plan = ({ wild }: Wildness): fc.Arbitrary<AttemptPlan> =>
  fc.record({
    createdAfter: fc.integer({ min: 0, max: 2 }),
    verification: fc.option(fc.integer({ min: 0, max: 2 })),
    result: fc.constantFrom('failed' as const, null, ...(wild ? (['success', 'failed then success'] as const) : [])),
    resultAfter: fc.integer({ min: 0, max: 2 }),
    refunds: wild ? fc.array(fc.integer({ min: 1, max: 1999 }), { maxLength: 3 }) : fc.constant([]),
  });

const paidPlan: fc.Arbitrary<AttemptPlan> = fc.record({
  createdAfter: fc.integer({ min: 0, max: 2 }),
  verification: fc.option(fc.integer({ min: 0, max: 2 })),
  result: fc.constant('success' as const),
  resultAfter: fc.integer({ min: 1, max: 3 }),
  refunds: fc.array(fc.integer({ min: 1, max: 600 }), { maxLength: 3 }),
});

const checkout = ({ wild }: Wildness) =>
  fc.record({
    attempts: fc
      .tuple(fc.array(plan({ wild }), { minLength: 1, maxLength: 3 }), fc.option(paidPlan))
      .map(([tried, paid]) => (paid ? [...tried, paid] : tried)),
    completed: fc.option(fc.integer({ min: 0, max: 9 })),
    expired: fc.option(fc.integer({ min: wild ? 0 : 10, max: 19 })),
  });

type CheckoutPlan = typeof checkout extends (wildness: Wildness) => fc.Arbitrary<infer Plan> ? Plan : never;

/** Worlds of one or two checkouts, their events shuffled and doubled, their questions run at any moment. */
export function randomWorlds(wildness: Wildness): fc.Arbitrary<RandomWorld> {
  return fc
    .array(checkout(wildness), { minLength: 1, maxLength: 2 })
    .map(worldOf)
    .chain((world) =>
      fc
        .tuple(
          fc.shuffledSubarray(world.events as ClinkEvent[], { minLength: world.events.length }),
          fc.subarray(world.events as ClinkEvent[], { maxLength: Math.min(3, world.events.length) }),
          fc.array(fc.tuple(fc.nat(40), fc.nat(12)), { maxLength: 12 }),
        )
        .map(([arrival, doubled, runs]) => ({ world, steps: stepsOf(arrival, doubled, runs) })),
    );
}

function stepsOf(
  arrival: readonly ClinkEvent[],
  doubled: readonly ClinkEvent[],
  runs: readonly (readonly [number, number])[],
): Step[] {
  const again = doubled.map((event, at) => (at === 0 ? event : { ...event, id: event.id + AGAIN }));
  const steps: Step[] = [...arrival, ...again].map((event) => ({ do: 'deliver', event }));
  for (const [at, place] of runs) steps.splice(at % (steps.length + 1), 0, { do: 'run', place });
  return steps;
}

function worldOf(plans: readonly CheckoutPlan[]): World {
  const events: ClinkEvent[] = [];
  const attempts: Record<string, AttemptTruth> = {};
  const current: Record<string, string> = {};
  const owners: Record<string, string> = {};
  for (const [at, { attempts: tries, completed, expired }] of plans.entries()) {
    const owner = { merchantOrderId: `mo_${at + 1}`, clinkSessionId: `sess_${at + 1}` };
    owners[owner.clinkSessionId] = owner.merchantOrderId;
    let created = T;
    for (const [nth, attempt] of tries.entries()) {
      const clinkOrderId = `order_${at + 1}${'ABCDE'[nth]}`;
      created += attempt.createdAfter;
      events.push(...eventsOf(attempt, { ...owner, clinkOrderId }, created));
      attempts[clinkOrderId] = { ...owner, status: statusOf(attempt) };
      current[owner.clinkSessionId] = clinkOrderId;
    }
    if (completed !== null) events.push(ended('session.complete', owner, completed));
    if (expired !== null) events.push(ended('session.expired', owner, expired));
  }
  const orders = plans.map((_, at) => merchantOrder({ id: `mo_${at + 1}`, clinkSessionId: `sess_${at + 1}` }));
  return { orders, events, truth: truthOf(attempts, current, owners) };
}

type Owner = { readonly merchantOrderId: string; readonly clinkSessionId: string };

function ended(type: 'session.complete' | 'session.expired', owner: Owner, after: number): ClinkEvent {
  return sessionEvent(type, { ...owner, created: T + after, id: `${type}:${owner.merchantOrderId}` });
}

function eventsOf(attempt: AttemptPlan, owner: Owner & { clinkOrderId: string }, created: number): ClinkEvent[] {
  const { verification, result, resultAfter, refunds } = attempt;
  const verified = created + (verification ?? 0);
  const ended = verified + resultAfter;
  const events: ClinkEvent[] = [orderEvent('order.created', { ...owner, created })];
  if (verification !== null) events.push(orderEvent('order.next_action', { ...owner, created: verified }));
  if (result?.startsWith('failed')) events.push(orderEvent('order.failed', { ...owner, created: ended }));
  if (result?.endsWith('success')) events.push(orderEvent('order.succeeded', { ...owner, created: ended + 1 }));
  const { clinkOrderId } = owner;
  refunds.forEach((cents, at) => {
    const amount = new Money(cents).dividedBy(100).toFixed();
    events.push(refundEvent({ refundId: `rfd_${clinkOrderId}_${at}`, clinkOrderId, amount, created: ended + 5 }));
  });
  return events;
}

function statusOf({ result, verification, refunds }: AttemptPlan): string {
  if (result === null) return verification === null ? 'pending' : 'requires_action';
  if (result === 'failed') return 'failed';
  const refunded = refunds.reduce((sum, cents) => sum + cents, 0);
  return refunded >= 1999 ? 'refunded' : refunded > 0 ? 'partial_refunded' : 'success';
}
