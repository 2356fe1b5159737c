// The checks must not depend on the code that they check.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, 'check');
const sources = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);

describe('the checks', () => {
  it.each(sources)('in %s import no action code', (_name, source) => {
    const imports = [...source.matchAll(/^import (?!type)[^;]* from '([^']+)'/gms)].map(([, path]) => path);
    expect(imports.filter((path) => path?.includes('/src/'))).toEqual([]);
  });

  it('do not depend on private file formats', () => {
    expect(sources.filter(([, source]) => /STATE_|run_pipeline/.test(source)).map(([name]) => name)).toEqual([]);
  });
});
