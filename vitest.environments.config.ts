import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

// Not part of `npm test`, because some of these tests need root or other versions of Node.js.
export default defineConfig({
  test: {
    name: 'environments',
    include: ['test/environments/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    maxConcurrency: 4,
    testTimeout: 3 * MINUTE,
  },
});
