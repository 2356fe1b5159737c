import { defineConfig } from 'vitest/config';

/**
 * The tests that `npm run mutate` runs against each mutant: the unit tests of the mutated folders, and the tables of failures
 * and messages. Tests that start processes and the simulation would take too long.
 */
export default defineConfig({
  test: {
    include: ['test/unit/{action,base,run,service}/**/*.test.ts', 'test/matrix/{error-texts,service,token}.test.ts'],
    restoreMocks: true,
    unstubEnvs: true,
  },
});
