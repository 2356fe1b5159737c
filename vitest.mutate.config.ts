import { defineConfig } from 'vitest/config';

/**
 * What `npm run mutate` runs for each mutant: the tests that look at src/run and src/service closely. Those that
 * spawn processes are left out, and so are those that only meet the same code some thousand times more.
 */
export default defineConfig({
  test: {
    include: ['test/unit/{base,run,service}/**/*.test.ts', 'test/matrix/{error-texts,service}.test.ts'],
    restoreMocks: true,
    unstubEnvs: true,
  },
});
