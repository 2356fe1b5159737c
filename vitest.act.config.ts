import { defineConfig } from 'vitest/config';

// Not part of `npm test`, because these tests need act, which .ci/tools.sh installs. Each test copies the repository.
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
