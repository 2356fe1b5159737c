import { defineConfig } from 'vitest/config';

/**
 * The tests that `npm run mutate` runs for each mutant: those of the mutated folders, and the tables of failures and texts.
 * Tests that start processes are left out, and so are those that only meet the same code many more times.
 */
export default defineConfig({
  test: {
    include: ['test/unit/{action,base,run,service}/**/*.test.ts', 'test/matrix/{error-texts,service,token}.test.ts'],
    restoreMocks: true,
    unstubEnvs: true,
  },
});
