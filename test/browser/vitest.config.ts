import { defineConfig } from 'vitest/config';

/** The journeys of a shopper in a real browser; apart from `npm test`, since they need Chromium. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.browser.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
