import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

// Apart from the other tests, since some of these need root, and other versions of Node.js.
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
