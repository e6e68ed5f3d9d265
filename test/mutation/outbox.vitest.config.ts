import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

export default defineConfig({
  test: {
    ...base.test,
    include: [
      'test/outbox/**/*.test.ts',
      'test/scenarios/g-lease-race.test.ts',
      'test/scenarios/h-exhaustion-and-paging.test.ts',
    ],
  },
});
