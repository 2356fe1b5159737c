import { describe, expect, it } from 'vitest';
import { createStateWriter } from '../../../src/action/state.ts';
import { recordsInText, type StateRecord } from '../../../src/action/state-records.ts';
import { memoryFiles } from '../../support/memory-files.ts';
import { PIPELINE } from '../../support/service.ts';

const STATE = '/runner/state';
const JOURNAL = '/runner/temp/journal';

/** A record with a name as long as names get, in characters of three bytes each. */
const large = (run: number): StateRecord => ({
  kind: 'intent',
  run,
  pipelineId: PIPELINE,
  pipelineName: '長'.repeat(200),
  at: 0,
});

/** More than a process can be started with: 2 MB. */
const MANY = Array.from({ length: 3_000 }, (_, index) => large(index + 1));

describe('the state of very many runs', () => {
  it('stays small enough for an environment, and whole in the journal', () => {
    const files = memoryFiles();
    const state = createStateWriter(files, [STATE, JOURNAL]);
    for (const record of MANY) state.write(record);
    expect(Buffer.byteLength(files.text(STATE))).toBeLessThan(1_000_000);
    expect(recordsInText(files.text(STATE)).size).toBeGreaterThan(1_000);
    expect(recordsInText(files.text(JOURNAL)).size).toBe(MANY.length);
  });

  it('is kept there all the same where there is no journal', () => {
    const files = memoryFiles();
    const state = createStateWriter(files, [STATE]);
    for (const record of MANY) state.write(record);
    expect(recordsInText(files.text(STATE)).size).toBe(MANY.length);
  });

  it('is kept there all the same when the journal takes nothing any more', () => {
    const files = memoryFiles();
    const state = createStateWriter(files, [STATE, JOURNAL]);
    files.refuse(JOURNAL);
    for (const record of MANY) state.write(record);
    expect(recordsInText(files.text(STATE)).size).toBe(MANY.length);
  });

  it('throws when no place takes it', () => {
    const files = memoryFiles();
    const state = createStateWriter(files, [STATE, JOURNAL]);
    for (const path of [STATE, JOURNAL]) files.refuse(path);
    for (const record of MANY) expect(() => state.write(record)).toThrow('ENOSPC');
  });
});
