import { describe, expect, it } from 'vitest';
import type { Files } from '../../../../src/action/runner/files.ts';
import { recordsInText } from '../../../../src/action/state/records.ts';
import { createStateWriter } from '../../../../src/action/state/writer.ts';
import { intent } from '../../../support/post.ts';

/** Files of many lines, each kept as a line. */
function lineFiles(...full: readonly string[]) {
  const lines = new Map<string, string[]>();
  const files: Files = {
    kindOf: () => 'file',
    openToAppend: () => undefined,
    append(path, text) {
      if (full.includes(path)) throw new Error('ENOSPC');
      const before = lines.get(path);
      if (before === undefined) lines.set(path, [text]);
      else before.push(text);
    },
    write: () => undefined,
    read: () => undefined,
    list: () => [],
  };
  return { files, text: (path: string) => (lines.get(path) ?? []).join('') };
}

const STATE = '/runner/state';
const JOURNAL = '/runner/temp/journal';

/** More than a process can be started with, 2 MB: names as long as they get, in characters of three bytes each. */
const MANY = Array.from({ length: 3_000 }, (_, index) => intent(index + 1, '長'.repeat(200)));

describe('the state of very many runs', () => {
  it('stays small enough for an environment, and whole in the journal', () => {
    const { files, text } = lineFiles();
    const state = createStateWriter(files, [STATE, JOURNAL], 'main');
    for (const record of MANY) state.write(record);
    expect(Buffer.byteLength(text(STATE))).toBeLessThan(600_000);
    expect(recordsInText(text(STATE)).main.size).toBeGreaterThan(700);
    expect(recordsInText(text(JOURNAL)).main.size).toBe(MANY.length);
  });

  it('is kept there all the same where there is no journal', () => {
    const { files, text } = lineFiles();
    const state = createStateWriter(files, [STATE], 'main');
    for (const record of MANY) state.write(record);
    expect(recordsInText(text(STATE)).main.size).toBe(MANY.length);
  });

  it('is kept there all the same when the journal takes nothing any more', () => {
    const { files, text } = lineFiles(JOURNAL);
    const state = createStateWriter(files, [STATE, JOURNAL], 'main');
    for (const record of MANY) state.write(record);
    expect(recordsInText(text(STATE)).main.size).toBe(MANY.length);
  });

  it('throws when no place takes it', () => {
    const { files } = lineFiles(STATE, JOURNAL);
    const state = createStateWriter(files, [STATE, JOURNAL], 'main');
    for (const record of MANY) expect(() => state.write(record)).toThrow('ENOSPC');
  });
});
