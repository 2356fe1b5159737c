import { defineConfig } from 'vitest/config';

/** The tests that `npm run mutate` runs against each mutant. Stryker has its own time limit. */
export default defineConfig({
  test: { include: ['test/unit/{action,base,report,run,service}/**/*.test.ts'], isolate: false, testTimeout: 60_000 },
});
