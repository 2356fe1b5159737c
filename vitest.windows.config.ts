import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

// Not part of `npm test`, because these tests need Wine and Windows' Node, which .ci/tools.sh installs.
export default defineConfig({
  test: {
    name: 'windows',
    include: ['test/windows/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    // Each test runs its processes beside those of others.
    maxConcurrency: 3,
    testTimeout: 2 * MINUTE,
  },
});
