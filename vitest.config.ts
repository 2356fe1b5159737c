import { defineConfig } from 'vitest/config';

const SECOND = 1_000;

// The end-to-end tests spawn processes and take real time; the others run in virtual time and finish in
// milliseconds. Two workers, because the smallest hosted runners have two cores.
export default defineConfig({
  test: {
    maxWorkers: 2,
    pool: 'threads',
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      // msw replaces node:http for a whole process: a worker process of its own keeps that to itself.
      { extends: true, test: { name: 'contract', include: ['test/contract/**/*.test.ts'], pool: 'forks' } },
      { extends: true, test: { name: 'matrix', include: ['test/matrix/**/*.test.ts'] } },
      {
        extends: true,
        test: { name: 'simulation', include: ['test/simulation/**/*.test.ts'], testTimeout: 60 * SECOND },
      },
      // A database starts for each file, which is some seconds of pure computing.
      {
        extends: true,
        test: {
          name: 'parity',
          include: ['test/parity/**/*.test.ts'],
          pool: 'forks',
          env: { DO_NOT_TRACK: '1' },
          testTimeout: 60 * SECOND,
          hookTimeout: 180 * SECOND,
        },
      },
      {
        extends: true,
        // Packages made for bundlers: they import JSON as Node does not take it, and lack what their maps name.
        logLevel: 'error',
        test: {
          name: 'docs',
          include: ['test/docs/**/*.test.ts'],
          server: { deps: { inline: [/@actions\/(?:languageservice|workflow-parser)/] } },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 60 * SECOND,
          hookTimeout: 60 * SECOND,
        },
      },
    ],
  },
});
