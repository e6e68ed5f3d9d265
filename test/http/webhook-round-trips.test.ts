import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receiveEvent } from '../../functions/flows/receive-event.ts';
import { historyOf, makeOrders, type Receive } from '../bench/webhook/histories.ts';
import { countRoundTrips, type RoundTrips } from '../bench/webhook/round-trips.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { storedOrder } from '../support/stored.ts';

const receive: Receive = (sql, event, body) => receiveEvent({ sql, wakeUp: async () => undefined }, event, body);

let db: TestDatabase;
let counted: RoundTrips;
beforeAll(async () => {
  db = await createDatabase(1);
  await makeOrders(db.owner, 1, 3);
  counted = await countRoundTrips(db.appUrl, receive, [historyOf(1), historyOf(2), historyOf(3)]);
});
afterAll(() => db.drop());

describe('a delivery, through the whole handler', () => {
  it('takes two round trips to the database: one to read, one to write', () => {
    expect(counted.warm).toEqual({ created: 2, succeeded: 2 });
  });

  /** Greeting, two to prove the password, the driver's look at array types. */
  it('takes six on a fresh connection, four of them to open it', () => {
    expect(counted.fresh).toEqual({ created: 6, succeeded: 6 });
  });

  it('was counted where it did its work', async () => {
    for (const id of ['mo_1', 'mo_2', 'mo_3']) {
      expect(await storedOrder(db.owner, id)).toMatchObject({ paymentStatus: 'paid', fulfillmentStatus: 'pending' });
    }
  });
});
