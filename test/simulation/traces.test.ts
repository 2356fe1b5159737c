/** Tests what traces contain and how two folders of them are compared. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { plainCrash, plainSingle } from './model/plain.ts';
import { live } from './model/simulate.ts';
import { alone, type ScenarioSpec } from './model/spec.ts';
import { appendTrace, blockOf, compareTraces, sectionsIn } from './traces.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'traces-'));

afterAll(() => rmSync(FOLDER, { recursive: true }));

function simulate(...args: readonly string[]): { readonly status: number | null; readonly printed: string } {
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'simulate.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  return { status, printed: stdout + stderr };
}

const blockFor = async (spec: ScenarioSpec): Promise<string[]> => blockOf(await live(spec));

/** Writes the traces of two scenarios, seeds 999 and 1000, with a change to the second; returns the folder. */
async function tracesIn(name: string, change: (line: string) => string = (line) => line): Promise<string> {
  const folder = join(FOLDER, name);
  mkdirSync(folder);
  const block = await blockFor(alone(plainSingle()));
  appendTrace(folder, 999, block);
  appendTrace(folder, 1_000, block.map(change));
  return folder;
}

describe('the trace of a scenario', () => {
  it('contains the externally visible facts about both processes', async () => {
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
});

describe('--compare', () => {
  it('lists each seed that differs, with the first line that differs or that only one folder contains', async () => {
    const a = await tracesIn('a');
    const b = await tracesIn('b', (line) => line.replace('main exit-code 0', 'main exit-code 1'));
    appendTrace(a, 1_001, ['main start 0']);
    appendTrace(b, 1_001, ['main start 0', 'main exit-code 0']);
    appendTrace(a, 2_000, ['main start 0']);
    const printed = `seed 1000\n  A: main exit-code 0\n  B: main exit-code 1
seed 1001\n  A: (no such line)\n  B: main exit-code 0
seed 2000\n  A: (seed)\n  B: (no such line)\n3 of 4 scenarios differ\n`;
    expect(simulate('--compare', a, b, '--only', 'essentials')).toEqual({ status: 1, printed });
    expect(simulate('--compare', a, a)).toEqual({ status: 0, printed: '0 of 4 scenarios differ\n' });
  });

  it('fails if a folder contains no traces or a section is unknown', async () => {
    const a = await tracesIn('e');
    expect(() => compareTraces(a, join(FOLDER, 'nowhere'))).toThrow('no traces in');
    expect(() => sectionsIn('stdin')).toThrow('Not a section: stdin');
  });
});
