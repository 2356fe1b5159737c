import { defineConfig } from 'vitest/config';

// Apart from the other tests, since act must be installed for these. Each copies the repository for itself.
export default defineConfig({
  test: {
    name: 'act',
    include: ['test/act/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    maxConcurrency: 2,
    testTimeout: 120_000,
  },
});
