import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openProofDatabase, type ProofDatabase } from './database.ts';
import { holdStoreToDatabase } from './same-on-both.ts';

let db: ProofDatabase;
beforeAll(async () => {
  db = await openProofDatabase(inject('databaseServerUrl'));
});
afterAll(() => db.close());

it('the store in memory keeps what PostgreSQL keeps, after every step of random histories', async () => {
  expect(await holdStoreToDatabase(db, { runs: 25, seed: 20_260_601 })).toBeGreaterThan(200);
});
