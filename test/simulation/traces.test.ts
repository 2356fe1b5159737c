/** Tests what traces contain. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { appendTrace, blockOf, createTraceFolder } from '../../scripts/traces.ts';
import { plainCrash, plainSingle } from './model/plain.ts';
import { live } from './model/simulate.ts';
import { alone, type ScenarioSpec } from './model/spec.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'traces-'));

afterAll(() => rmSync(FOLDER, { recursive: true }));

const blockFor = async (spec: ScenarioSpec): Promise<string[]> => blockOf(await live(spec));

it('the trace of a scenario contains the externally visible facts about both processes', async () => {
  const block = await blockFor(alone(plainSingle({ crashes: [plainCrash(30_000, 'sigterm')] })));
  expect(block.slice(0, 2)).toEqual(['main start 0', 'main crash 30000 sigterm']);
  expect(block).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^main request 0 exchange POST https:\S+ \{.*authorization: Bearer ak_/),
      expect.stringMatching(/^main request \d+ trigger POST \S+ \{.*\} \{"p_pipeline_id":/),
      'main stdout 0 ::add-mask::***',
      expect.stringMatching(/^main stdout 30\d{3} .*SIGTERM/),
      'main output outcome=cancelled',
      expect.stringMatching(/^main summary \| Pipeline \|/),
      'main outcome orders: cancelled',
      expect.stringMatching(/^main end 30\d{3} exited$/),
      'main exit-code 1',
      expect.stringMatching(/^post end \d+ exited$/),
      'post exit-code 0',
    ]),
  );
});

describe('a folder of traces', () => {
  it('contains the lines of each seed below a heading', async () => {
    const block = await blockFor(alone(plainSingle()));
    const folder = join(FOLDER, 'new');
    createTraceFolder(folder);
    appendTrace(folder, 1_000, block);
    appendTrace(folder, 1_001, ['main start 0']);
    const text = ['=== seed 1000', ...block, '=== seed 1001', 'main start 0', ''].join('\n');
    expect(readFileSync(join(folder, 'seeds-0000001000.txt'), 'utf8')).toBe(text);
  });

  it('must be empty before it is used', () => {
    expect(() => createTraceFolder(import.meta.dirname)).toThrow('is not empty');
  });
});
