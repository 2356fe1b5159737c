import type { KnipConfig } from 'knip';
import { entries } from './scripts/entries.ts';

const config: KnipConfig = {
  entry: [
    ...entries.map((name) => `src/${name}.ts`),
    'scripts/{build,check-dist}.ts',
    'sandbox/{cli,demo}.ts',
    'test/**/*.test.ts',
  ],
  project: ['{src,scripts,sandbox,bench,test}/**/*.ts'],
  // Used without being imported: the stub by the bundle, ncc and Mermaid by their paths, node by every script.
  ignoreDependencies: ['undici', '@vercel/ncc', 'mermaid', 'node'],
  ignoreExportsUsedInFile: true,
};

export default config;
