import { defineConfig } from 'vitest/config';

const SECOND = 1_000;

// End-to-end and parity tests start processes and take real time; most others run in virtual time. There are three
// workers for the two cores of the smallest hosted runners, because end-to-end tests often wait. With
// `isolate: false`, test files share the modules that they load.
export default defineConfig({
  test: {
    maxWorkers: 3,
    pool: 'threads',
    // A busy machine needs much more than the default of five seconds, also for tests in virtual time.
    testTimeout: 180 * SECOND,
    hookTimeout: 60 * SECOND,
    // Vitest cannot attribute assertions to concurrent tests, so it checks only sequential ones.
    expect: { requireAssertions: true },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'], isolate: false } },
      // msw patches node:http for the whole process, so these tests need processes of their own.
      { extends: true, test: { name: 'contract', include: ['test/contract/**/*.test.ts'], pool: 'forks' } },
      { extends: true, test: { name: 'matrix', include: ['test/matrix/**/*.test.ts'], isolate: false } },
      { extends: true, test: { name: 'simulation', include: ['test/simulation/**/*.test.ts'] } },
      // Each file starts a database, which takes several seconds of CPU time.
      {
        extends: true,
        test: {
          name: 'parity',
          include: ['test/parity/**/*.test.ts'],
          pool: 'forks',
          env: { DO_NOT_TRACK: '1' },
          hookTimeout: 180 * SECOND,
        },
      },
      {
        extends: true,
        // GitHub's packages are made for bundlers: they import JSON without attributes, which Node rejects, and their source
        // maps refer to missing files, which Vite would warn about.
        logLevel: 'error',
        test: {
          name: 'docs',
          include: ['test/docs/**/*.test.ts'],
          server: { deps: { inline: [/@actions\/(?:languageservice|workflow-parser)/] } },
        },
      },
      { extends: true, test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], pool: 'forks' } },
    ],
  },
});
