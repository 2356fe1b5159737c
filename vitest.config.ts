import { defineConfig, type TestProjectConfiguration } from 'vitest/config';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A project with the tests in `test/<name>`. */
function project(name: string, test: Readonly<Record<string, unknown>> = {}, rest = {}): TestProjectConfiguration {
  return { extends: true, ...rest, test: { name, include: [`test/${name}/**/*.test.ts`], ...test } };
}

/** Tests that start processes or servers of their own. */
const FORKS = { pool: 'forks' } as const;
/** `npm test` skips these, because they need tools that .ci/tools.sh installs. They use the whole machine. */
const PLATFORM = { ...FORKS, maxWorkers: 1, testTimeout: 3 * MINUTE, hookTimeout: 3 * MINUTE };

const PROJECTS = [
  project('unit', { isolate: false }),
  // Trusted certificates and proxies are settings of the whole process, so these tests need processes of their own.
  project('contract', FORKS),
  project('simulation', { isolate: false }),
  // GitHub's packages are made for bundlers: they import JSON without attributes, which Node rejects, and their source
  // maps refer to missing files, which Vite would warn about.
  project(
    'docs',
    { isolate: false, server: { deps: { inline: [/@actions\/(?:languageservice|workflow-parser)/] } } },
    { logLevel: 'error' },
  ),
  project('parity', { ...FORKS, env: { DO_NOT_TRACK: '1' }, hookTimeout: 3 * MINUTE }),
  project('e2e', { ...FORKS, isolate: false, maxConcurrency: 8 }),
  project('act', { ...PLATFORM, maxConcurrency: 2 }),
  project('browser', PLATFORM),
  project('windows', { ...PLATFORM, maxConcurrency: 3 }),
];

/** `npm run mutate` cannot select a project, so its processes have only this one: the tests of `src` that need no process. */
const MUTATION = project('mutation', {
  isolate: false,
  include: ['test/unit/{action,base,report,run,service}/**/*.test.ts', 'test/contract/{connections,responses}.test.ts'],
});
const isStryker = process.env['STRYKER_MUTATOR_WORKER'] !== undefined;

/*
 * Four workers suit the two cores of the smallest hosted runners. Tests in virtual time use all of a core; end-to-end tests
 * mostly wait, so many of them run concurrently in each worker. With `isolate: false`, test files share their modules.
 */
export default defineConfig({
  test: {
    maxWorkers: 4,
    pool: 'threads',
    // A busy machine needs much more than the default of five seconds.
    testTimeout: 2 * MINUTE,
    hookTimeout: MINUTE,
    // The first line of a failure shows the values instead of `Array(2)`.
    chaiConfig: { truncateThreshold: 500 },
    // Vitest cannot attribute assertions to concurrent tests, so it checks only sequential ones.
    expect: { requireAssertions: true },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: isStryker ? [MUTATION] : PROJECTS,
  },
});
