import { defineConfig } from 'vitest/config';

/** `npm run test:deploy`: one long story, told in order; what comes after a step that failed would only confuse. */
export default defineConfig({
  test: {
    include: ['test/deploy/*.deploy.ts'],
    bail: 1,
    reporters: ['verbose'],
    testTimeout: 240_000,
    hookTimeout: 300_000,
    env: { LOG_LEVEL: 'SILENT', METRICS_DISABLED: 'true' },
  },
});
