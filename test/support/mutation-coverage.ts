// Lets `npm run mutate` run all test files in one worker, so a mutant does not start a worker per file.
import { beforeAll } from 'vitest';

type Global = { readonly __stryker__?: { readonly mutantCoverage?: { perTest: object } } };

// Stryker reports the coverage of each file with that of all files before it, which exceeds the memory of the process.
beforeAll(() => {
  const { mutantCoverage } = (globalThis as Global).__stryker__ ?? {};
  if (mutantCoverage !== undefined) mutantCoverage.perTest = {};
});
