import { defineConfig } from 'vitest/config';

/**
 * The tests that `npm run mutate` runs against each mutant: first the unit tests of the mutated folders, and the tables of
 * failures and messages; then, for the mutants that survive these, a sample of the simulation.
 */
export default defineConfig({
  test: {
    include:
      process.env['MUTATE_WITH'] === 'simulation'
        ? ['test/simulation/random.test.ts']
        : ['test/unit/{action,base,run,service}/**/*.test.ts', 'test/matrix/{error-texts,service}.test.ts'],
    isolate: false,
    restoreMocks: true,
    setupFiles: ['test/support/mutation-coverage.ts'],
    // A slow machine must not count as a failed test. Stryker has its own time limit for each mutant.
    testTimeout: 60_000,
    unstubEnvs: true,
  },
});
