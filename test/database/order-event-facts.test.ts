import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readOrderEventFacts } from '../../functions/database/order-event-facts.ts';
import { inTransaction } from '../../functions/database/transaction.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { addAttempt, addOrder } from '../support/rows.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
  await addOrder(db.owner, { id: 'mo_1', clinkSessionId: 'sess_1' });
  await addOrder(db.owner, { id: 'mo_2', clinkSessionId: 'sess_2' });
  await addAttempt(db.owner, 'mo_1', { clinkOrderId: 'order_earlier' });
  await addAttempt(db.owner, 'mo_2', { clinkOrderId: 'order_foreign' });
});
beforeEach(async () => {
  await db.owner`DELETE FROM webhook_events`;
});
afterAll(() => db.drop());

const look = (clinkOrderId: string, merchantOrderId: string | null = 'mo_1') =>
  inTransaction(db.app, async (tx) => ({
    result: await readOrderEventFacts(tx, {
      id: 'event_1',
      merchantOrderId,
      clinkOrderId,
      clinkSessionId: 'sess_1',
    }),
    writes: [],
  }));

function addEvent(columns: Record<string, string>) {
  return db.owner`INSERT INTO webhook_events ${db.owner({ id: 'event_1', type: 't', payload: '{}', bodyHash: 'h', ...columns })}`;
}

describe('the attempts of an order and the named one', () => {
  it.each([
    ['new', 'order_new', ['order_earlier']],
    ["the order's", 'order_earlier', ['order_earlier']],
    ["another order's", 'order_foreign', ['order_earlier', 'order_foreign']],
  ])('are found when the named one is %s', async (_whose, named, expected) => {
    const { attempts } = await look(named);
    expect(attempts.map(({ clinkOrderId }) => clinkOrderId).toSorted()).toEqual(expected);
    expect(attempts[0]).not.toHaveProperty('isAwaited');
    expect(attempts[0]).not.toHaveProperty('storedBodyHash');
  });

  it('are the named one alone where no order is named', async () => {
    const { attempts } = await look('order_foreign', null);
    expect(attempts.map(({ clinkOrderId }) => clinkOrderId)).toEqual(['order_foreign']);
  });

  it('are none, and nothing waits for them, where nothing is stored', async () => {
    const nobody = { id: 'event_none', merchantOrderId: 'mo_none', clinkOrderId: null, clinkSessionId: null };
    const looked = inTransaction(db.app, async (tx) => ({
      result: await readOrderEventFacts(tx, nobody),
      writes: [],
    }));
    expect(await looked).toEqual({ attempts: [], isAwaited: false, storedBodyHash: null });
  });
});

describe('whether an event waits for something about the order', () => {
  it.each([
    ['the order', { merchantOrderRef: 'mo_1' }, true],
    ['its session', { clinkSessionRef: 'sess_1' }, true],
    ['the named attempt, not stored yet', { clinkOrderRef: 'order_new' }, true],
    ['another attempt of the order', { clinkOrderRef: 'order_earlier' }, true],
    ['another order', { merchantOrderRef: 'mo_2', clinkSessionRef: 'sess_2', clinkOrderRef: 'order_foreign' }, false],
    ['the order, but is processed', { merchantOrderRef: 'mo_1', status: 'processed' }, false],
    ['nothing', {}, false],
  ])('by naming %s', async (_what, references, expected) => {
    await addEvent(references);
    expect((await look('order_new')).isAwaited).toBe(expected);
  });
});

it('whether the event has been here before', async () => {
  expect((await look('order_new')).storedBodyHash).toBeNull();
  await addEvent({ status: 'processed' });
  expect((await look('order_new')).storedBodyHash).toBe('h');
});
