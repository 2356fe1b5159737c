import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PLAIN_PIPELINE, plainSingle } from './model/plain.ts';
import { live } from './model/simulate.ts';
import { alone, type ScenarioSpec } from './model/spec.ts';
import { anchored } from './scenarios/anchored.ts';
import { scenarioNumbered } from './scenarios/numbered.ts';
import { blockOf } from './traces/block.ts';
import { compareTraces, sectionsIn } from './traces/compare.ts';
import { TraceWriter } from './traces/files.ts';

const REPOSITORY = join(import.meta.dirname, '..', '..');
const FOLDER = mkdtempSync(join(tmpdir(), 'traces-'));

afterAll(() => rmSync(FOLDER, { recursive: true }));

function simulate(...args: readonly string[]): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(REPOSITORY, 'scripts', 'simulate.ts'), ...args],
    { encoding: 'utf8' },
  );
  return { status, said: stdout + stderr };
}

async function blockFor(spec: ScenarioSpec): Promise<string[]> {
  return blockOf(await live(spec));
}

/** Writes the traces of two scenarios, seeds 999 and 1000, with a change to the second; returns the folder. */
async function tracesIn(name: string, change: (line: string) => string = (line) => line): Promise<string> {
  const folder = join(FOLDER, name);
  mkdirSync(folder);
  const block = await blockFor(alone(plainSingle()));
  const writer = new TraceWriter(folder);
  writer.add(999, block);
  writer.add(1_000, block.map(change));
  writer.flush();
  return folder;
}

describe('the trace of a scenario', () => {
  it('contains what can be seen of both processes from outside', async () => {
    const block = await blockFor(
      alone(plainSingle({ crashes: [{ on: 'main', at: { ms: 30_000 }, kind: 'sigterm' }] })),
    );
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

  it('names the runs that warnings and errors are about, whatever their words', async () => {
    const timeline = PLAIN_PIPELINE.timeline.slice(0, 3);
    const inputs = { timeout: '40s', 'on-timeout': 'leave' };
    const facts = await live(alone(plainSingle({ pipelines: [{ ...PLAIN_PIPELINE, timeline }], inputs })));
    const run = facts.executions[0]?.world.jobs[0]?.id;
    const warned = blockOf(facts).filter((line) => line.includes(' warned '));
    expect(warned).toEqual([`main warned ${run}`]);
  });

  it('shows each line of a summary and of stdout in one line of its own', async () => {
    const block = await blockFor(scenarioNumbered(900));
    expect(block.filter((line) => !/^(?:main|post) [a-z-]+ /.test(line))).toEqual([]);
  });

  it('names the processes of each further execution by its number', async () => {
    const { executions, ...shared } = alone(plainSingle());
    const block = await blockFor({ ...shared, executions: [...executions, ...executions] });
    expect(new Set(block.map((line) => line.split(' ')[0]))).toEqual(new Set(['main', 'post', 'main-2', 'post-2']));
  });

  it('does not change when a later execution is added', async () => {
    const { executions, ...shared } = alone(plainSingle());
    const later = executions.map((one) => ({
      ...one,
      placement: { ...one.placement, job: 2, startMs: 600_000 },
      pipelines: [{ ...PLAIN_PIPELINE, name: 'Customers', apiName: 'customers' }],
    }));
    const both = await blockFor({ ...shared, executions: [...executions, ...later] });
    const first = await blockFor({ ...shared, executions });
    expect(both.slice(0, first.length)).toEqual(first);
    expect(both.length).toBeGreaterThan(first.length);
  });
});

describe('an anchored scenario', () => {
  const seeds = Array.from({ length: 200 }, (_, index) => index);

  it('has neither disk faults nor crashes anchored to effects', () => {
    const executions = seeds.flatMap((seed) => anchored(scenarioNumbered(seed)).executions);
    expect(executions.filter(({ disk, lostTimer }) => disk.length > 0 || lostTimer !== null)).toEqual([]);
    const moments = executions.flatMap(({ crashes }) => crashes.map(({ at }) => Object.keys(at).join(' ')));
    expect(new Set(moments)).toEqual(new Set(['ms', 'request', 'response', 'fault before', 'fault plusMs']));
  });

  it('has the same trace when its processes print more lines', async () => {
    let lines = 0;
    for (const seed of seeds) {
      const spec = anchored(scenarioNumbered(seed));
      // Each further line is another chance to notice that stdout is closed.
      if (spec.executions.some(({ crashes }) => crashes.some(({ kind }) => /stdout|shutdown|worker_killed/.test(kind))))
        continue;
      const printing = (debug: boolean): ScenarioSpec => ({
        ...spec,
        executions: spec.executions.map((one) => ({ ...one, runner: { ...one.runner, debug } })),
      });
      const more = await blockFor(printing(true));
      const same = more.filter((line) => !/ stdout [\d.]+ ::debug::/.test(line));
      expect(await blockFor(printing(false)), `seed ${seed}`).toEqual(same);
      lines += more.length - same.length;
    }
    expect(lines).toBeGreaterThan(500);
  });
});

describe('--trace', () => {
  it('writes the same files whatever the number of workers', () => {
    const range = ['--scenarios', '60', '--seed', '970', '--anchored'];
    const [one, three] = [join(FOLDER, 'one'), join(FOLDER, 'three')];
    expect(simulate(...range, '--workers', '1', '--trace', one).status).toBe(0);
    expect(simulate(...range, '--workers', '3', '--trace', three).status).toBe(0);
    const names = ['seeds-0000000000.txt', 'seeds-0000001000.txt'];
    expect([readdirSync(one).sort(), readdirSync(three).sort()]).toEqual([names, names]);
    for (const name of names) {
      expect(readFileSync(join(three, name), 'utf8')).toBe(readFileSync(join(one, name), 'utf8'));
    }
    const headers = readFileSync(join(one, 'seeds-0000001000.txt'), 'utf8').match(/^===.*$/gm);
    expect(headers).toEqual(Array.from({ length: 30 }, (_, index) => `=== seed ${1_000 + index}`));
  });

  it('fails if the folder contains files', () => {
    const folder = join(FOLDER, 'full');
    mkdirSync(folder);
    writeFileSync(join(folder, 'note.txt'), '');
    const { status, said } = simulate('--scenarios', '1', '--trace', folder);
    expect(status).not.toBe(0);
    expect(said).toContain('is not empty');
  });
});

describe('--compare', () => {
  it('lists each seed that differs with its first differing line', async () => {
    const a = await tracesIn('a');
    const b = await tracesIn('b', (line) => line.replace('main exit-code 0', 'main exit-code 1'));
    const { status, said } = simulate('--compare', a, b, '--only', 'essentials');
    expect(said).toBe('seed 1000\n  A: main exit-code 0\n  B: main exit-code 1\n1 of 2 scenarios differ\n');
    expect(status).toBe(1);
  });

  it('succeeds if nothing differs', async () => {
    const a = await tracesIn('same');
    expect(simulate('--compare', a, a)).toEqual({ status: 0, said: '0 of 2 scenarios differ\n' });
  });
});

describe('the comparison of traces', () => {
  it('ignores all but requests, outcomes, warned runs and exit codes if only the essentials count', async () => {
    const a = await tracesIn('c');
    const b = await tracesIn('d', (line) => line.replace(/^(main (?:stdout|output|summary|end)) .*/, '$1 x'));
    const seeds = (only?: string): number[] =>
      compareTraces(a, b, only === undefined ? undefined : sectionsIn(only)).different.map(({ seed }) => seed);
    expect(seeds()).toEqual([1_000]);
    expect(seeds('essentials')).toEqual([]);
    expect(seeds('request,summary')).toEqual([1_000]);
  });

  it.each(['request', 'outcome', 'exit-code'])('finds a change of the essential section %s', async (section) => {
    const a = await tracesIn(`before ${section}`);
    const b = await tracesIn(`after ${section}`, (line) => line.replace(` ${section} `, ` ${section} x`));
    const { different } = compareTraces(a, b, sectionsIn('essentials'));
    expect(different.map(({ seed }) => seed)).toEqual([1_000]);
  });

  it('lists seeds that only one folder contains', async () => {
    const a = await tracesIn('e');
    const b = await tracesIn('f');
    rmSync(join(b, 'seeds-0000001000.txt'));
    const different = [{ seed: 1_000, a: '(seed)', b: undefined }];
    expect(compareTraces(a, b)).toEqual({ scenarios: 2, different });
  });

  it('fails if a folder contains no traces', async () => {
    const a = await tracesIn('g');
    expect(() => compareTraces(a, join(FOLDER, 'nowhere'))).toThrow('no traces in');
  });

  it('fails for a section that does not exist', () => {
    expect(() => sectionsIn('stdin')).toThrow('Not a section: stdin');
  });
});
