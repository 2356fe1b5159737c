import type { KnipConfig } from 'knip';
import { entries, shared } from './scripts/entries.ts';

const config: KnipConfig = {
  entry: [
    ...[...entries, ...shared].map((name) => `src/${name}.ts`),
    'scripts/{build,check-dist}.ts',
    'sandbox/{cli,demo}.ts',
    // The first starts the second as a process.
    'bench/{many,many/service}.ts',
    'test/**/*.test.ts',
    // vitest.mutate.config.ts names this file.
    'test/support/mutation-coverage.ts',
    // The simulation starts this file as a thread.
    'scripts/simulate-worker.ts',
  ],
  project: ['{src,scripts,sandbox,bench,test}/**/*.ts'],
  // No file imports these packages: a dependency imports undici, a test finds Mermaid by path, and scripts run node.
  ignoreDependencies: ['undici', 'mermaid', 'node'],
  ignoreExportsUsedInFile: true,
};

export default config;
