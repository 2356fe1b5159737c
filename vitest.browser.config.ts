import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

// Not part of `npm test`, because these tests need Chromium, which .ci/tools.sh installs.
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
