import type { KnipConfig } from 'knip';
import { early, entries } from './scripts/entries.ts';

const config: KnipConfig = {
  entry: [
    ...[...entries, ...early, 'index'].map((name) => `src/${name}.ts`),
    'scripts/{build,check-dist}.ts',
    'sandbox/{cli,demo}.ts',
    // The first starts the second as a process.
    'bench/{many,many/service}.ts',
    'test/**/*.test.ts',
  ],
  project: ['{src,scripts,sandbox,bench,test}/**/*.ts'],
  // No file imports these packages: a test finds Mermaid by path, scripts run node and ncc, and an override refers to undici.
  ignoreDependencies: ['mermaid', 'node', 'undici', '@vercel/ncc'],
  ignoreExportsUsedInFile: true,
};

export default config;
