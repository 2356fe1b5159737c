import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { declaredFiles } from '../../scripts/declare.ts';
import { read } from './documents.ts';

it.each(Object.entries(declaredFiles()))('%s matches the inputs and outputs in the code', (path, text) => {
  const lines = read(path).split('\n');
  const missing = text.split('\n').filter((line) => !lines.includes(line));
  expect(missing, `${path} lacks these lines. Run \`npm run declare\`, and commit what it writes`).toEqual([]);
  expect(read(path), 'Run `npm run declare`, and commit what it writes').toBe(text);
});

describe.each(['', 'cancel/'])('%saction.yml', (folder) => {
  it('runs dist on Node.js 24', () => {
    const { runs } = parse(read(`${folder}action.yml`)) as { readonly runs: Readonly<Record<string, string>> };
    const { using, 'post-if': _, ...files } = runs;
    expect(using).toBe('node24');
    const names = folder === '' ? ['main', 'post'] : ['cancel'];
    const paths = Object.values(files).map((file) => join(folder, file).replaceAll('\\', '/'));
    expect(paths).toEqual(names.map((name) => `dist/${name}.js`));
  });
});
