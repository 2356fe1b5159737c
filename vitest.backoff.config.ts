import { defineConfig } from 'vitest/config';

const BASE = /(?<=^const BASE_MS = )[\d_]+(?=;$)/m;

/** Used by `npm run test:backoff`: the fast tests, with every pause before a retry a tenth longer. */
export default defineConfig({
  plugins: [
    {
      name: 'longer-backoff',
      enforce: 'pre',
      transform(code, id) {
        if (!/\/src\/run\/(?:retry|settle)\.ts$/.test(id)) return;
        if (!BASE.test(code)) throw new Error(`${id} does not define BASE_MS.`);
        return code.replace(BASE, (ms) => String(Number(ms.replaceAll('_', '')) * 1.1));
      },
    },
  ],
  test: {
    include: ['test/{unit,matrix}/**/*.test.ts'],
    maxWorkers: 2,
    pool: 'threads',
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    testTimeout: 60_000,
  },
});
