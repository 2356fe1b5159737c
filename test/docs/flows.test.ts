// docs/architecture.md names the files of three flows in the order of their imports.
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../support/imports.ts';

const root = join(import.meta.dirname, '..', '..');
const text = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');
/** The files of each flow, in the order in which they should be read. */
const flows = text
  .split(/^## /m)
  .filter((section) => section.startsWith('Flow: '))
  .map((flow): [string, string[]] => [
    flow.slice(0, flow.indexOf('\n')),
    [...flow.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file ?? ''),
  ]);

function importedBy(file: string): string[] {
  return importsOf(readFileSync(join(root, file), 'utf8')).map(({ specifier = '' }) =>
    posix.join(posix.dirname(file), specifier),
  );
}

describe('docs/architecture.md', () => {
  it('describes three flows, in at most nine, nine and eight files', () => {
    expect(flows.map(([, files]) => files.length)).toEqual([9, 9, 8]);
  });

  it.each(flows)('names files that import each other, or that start hands in: %s', (_, files) => {
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    const stray = files.slice(1).filter((file, index) => {
      const earlier = [...files.slice(0, index + 1), 'src/start.ts'];
      return !earlier.some((each) => importedBy(each).includes(file));
    });
    expect(stray).toEqual([]);
  });
});
