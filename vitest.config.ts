import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    // Real databases and servers: a loaded machine may take its time, and a hang is still a failure.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    env: { LOG_LEVEL: 'SILENT', METRICS_DISABLED: 'true' },
  },
});
