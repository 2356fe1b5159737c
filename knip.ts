import type { KnipConfig } from 'knip';
import { entries, shared } from './scripts/entries.ts';

const config: KnipConfig = {
  entry: [
    ...[...entries, ...shared].map((name) => `src/${name}.ts`),
    'scripts/{build,check-dist}.ts',
    'sandbox/{cli,demo}.ts',
    // The second is started as a process.
    'bench/{many,many/service}.ts',
    'test/**/*.test.ts',
    // Started as a thread.
    'test/simulation/scenarios/worker.ts',
  ],
  project: ['{src,scripts,sandbox,bench,test}/**/*.ts'],
  // Used without being imported: the stubs by the bundle, Mermaid by its path, node by every script.
  ignoreDependencies: ['undici', 'mermaid', 'node'],
  ignoreExportsUsedInFile: true,
};

export default config;
