import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

// Not part of `npm test`, because these tests need Wine and Node for Windows, which .ci/tools.sh installs.
export default defineConfig({
  test: {
    name: 'windows',
    include: ['test/windows/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    maxConcurrency: 3,
    testTimeout: 2 * MINUTE,
  },
});
