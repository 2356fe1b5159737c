import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

// Beside the other tests, because they need a Chromium, which a fresh machine does not have: `npm run test:browser`.
export default defineConfig({
  test: {
    name: 'browser',
    include: ['test/browser/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 2 * MINUTE,
    hookTimeout: 2 * MINUTE,
  },
});
