import { defineConfig } from 'vitest/config';

/**
 * The decisions are pure, so no database is started for them. The tests that try every order of events are left out: they
 * run nearly all code, so each mutant would wait for them, and a rule should be held by a test that names it.
 */
export default defineConfig({
  test: {
    include: ['test/decisions/**/*.test.ts'],
    exclude: ['test/decisions/every-order*.test.ts'],
    testTimeout: 60_000,
  },
});
