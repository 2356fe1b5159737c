import { describe, expect, it } from 'vitest';
import { annotateEndings } from '../../../../src/action/report/annotations.ts';
import { endingOf, endingOfAll } from '../../../../src/action/report/endings.ts';
import { resultsOf } from '../../../../src/action/report/outputs.ts';
import type { RunState } from '../../../../src/run/state/run-state.ts';
import { aRun, type Inputs, keptToolkit, settings } from '../../../support/action.ts';
import { JOB, PIPELINE } from '../../../support/service.ts';

const { plan } = settings();
const GOOD: Partial<RunState> = { phase: { at: 'finished', status: 'completed' }, status: 'completed', endedAt: 5_000 };
const BAD: Partial<RunState> = { phase: { at: 'finished', status: 'failed' }, status: 'failed', endedAt: 5_000 };
const NO_RUN = { jobId: undefined, status: undefined, startedAt: undefined };

function named(name: string, fields: Partial<RunState>, inputs: Inputs = {}): RunState {
  return aRun({ pipeline: { id: PIPELINE, name }, ...fields }, inputs);
}

function wordsFor(run: RunState, inputs: Inputs = {}): readonly string[] {
  const { level, line, advice } = endingOf(run, settings(inputs).plan);
  return [level ?? 'log', line, ...advice].map((text) => text.replaceAll(JOB, 'ID'));
}

describe('the words for a run that fail-fast stopped', () => {
  const stop = { reason: { kind: 'fail_fast', after: 'customers' }, policy: 'cancel', at: 4_000 } as const;

  it.each<[string, Partial<RunState>, readonly string[]]>([
    [
      'cancelled',
      { phase: { at: 'finished', status: 'cancelled' }, status: 'cancelled', endedAt: 5_500 },
      ['error', 'Stopped by fail-fast, because customers did not succeed: run ID of orders was cancelled after 1.5s.'],
    ],
    [
      'not triggered',
      { ...NO_RUN, phase: { at: 'not_queued' } },
      [
        'error',
        'Stopped by fail-fast, because customers did not succeed: no run of orders was triggered.',
        'No run was queued.',
      ],
    ],
  ])('%s', (_, fields, words) => {
    expect(wordsFor(aRun({ ...fields, stop }))).toEqual(words);
  });
});

describe('the words for a run that was only tried out', () => {
  it('say what would happen', () => {
    const tried = aRun({ ...NO_RUN, phase: { at: 'dry_run' } });
    expect(wordsFor(tried)).toEqual(['log', 'A run of orders would be triggered.']);
    expect(wordsFor(tried, { 'full-resync': 'true', 'reset-target': 'true' })).toEqual([
      'log',
      'A run of orders would be triggered, and its tables dropped first.',
    ]);
  });
});

describe('the words for a run that existed before', () => {
  it('name it by its id alone', () => {
    const inputs = { pipeline: '', 'job-id': JOB };
    expect(wordsFor(aRun({ ...GOOD, pipeline: undefined, attached: true }, inputs), inputs)).toEqual([
      'log',
      'Run ID completed.',
    ]);
  });
});

describe('one line for several runs', () => {
  const bad = (name: string): RunState => named(name, BAD);

  it.each<[string, readonly RunState[], string]>([
    ['one', [aRun(GOOD)], `Run ${JOB} of orders completed after 5s.`],
    ['all well', [named('a', GOOD), named('b', GOOD)], '2 of 2 runs succeeded.'],
    ['one not', [named('a', GOOD), bad('b')], '1 of 2 runs succeeded; 1 failed (b).'],
    [
      'the worst first',
      [bad('a'), named('b', { phase: { at: 'unknown', problem: { attempted: 'x', cause: 'y' } } }), named('c', GOOD)],
      '1 of 3 runs succeeded; 1 unknown (b); 1 failed (a).',
    ],
    [
      'more than can be named',
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(bad),
      '0 of 7 runs succeeded; 7 failed (a, b, c, d, e and 2 more).',
    ],
    [
      'not waited for',
      [named('a', { phase: { at: 'detached' } }), named('b', { ...NO_RUN, phase: { at: 'not_queued' } })],
      '1 of 2 runs were triggered; 1 not triggered (b).',
    ],
    [
      'tried out',
      [named('a', { phase: { at: 'dry_run' } }), named('b', { phase: { at: 'dry_run' } })],
      '2 of 2 runs passed the dry run.',
    ],
  ])('%s', (_, runs, line) => {
    expect(endingOfAll(runs, plan)).toBe(line);
  });
});

describe('annotations', () => {
  const endings = (count: number, level: 'error' | 'warning' | 'notice') =>
    Array.from({ length: count }, (_, index) => ({
      name: `${level}-${index}`,
      ending: { level, line: `${level} ${index}.`, advice: ['Do this.'] },
    }));

  it('are one per run that needs attention, the worst first', () => {
    const toolkit = keptToolkit();
    const fine = { name: 'fine', ending: { level: undefined, line: 'Fine.', advice: [] } };
    annotateEndings(
      [...endings(1, 'notice'), fine, ...endings(1, 'error'), ...endings(1, 'warning')],
      toolkit,
      () => undefined,
    );
    expect(toolkit.annotations).toEqual([
      { level: 'error', title: 'run-pipeline: error-0', message: 'error 0.\nDo this.' },
      { level: 'warning', title: 'run-pipeline: warning-0', message: 'warning 0.\nDo this.' },
      { level: 'notice', title: 'run-pipeline: notice-0', message: 'notice 0.\nDo this.' },
    ]);
  });

  it('are never more than a runner shows, and the log has the rest', () => {
    const toolkit = keptToolkit();
    const printed: string[] = [];
    annotateEndings([...endings(30, 'warning'), ...endings(500, 'error')], toolkit, (line) => printed.push(line));
    expect(toolkit.annotations.length).toBeLessThan(10);
    const last = toolkit.annotations.at(-1);
    expect(last?.title).toBe(`run-pipeline: ${printed.length} more runs`);
    expect(last?.message.length).toBeLessThan(4_096);
    expect(printed.length + toolkit.annotations.length - 1).toBe(530);
    expect(printed[0]).toBe('error 7. Do this.');
  });
});

describe('the output results', () => {
  it('has an entry per run, in order, each on a line of its own', () => {
    const { json, leftOut } = resultsOf([named('a', GOOD), named('b', { ...BAD, statusMessage: 'x\n]' })], plan);
    expect(leftOut).toBe(0);
    expect(json.split('\n')).toHaveLength(4);
    const [first, second] = JSON.parse(json) as Record<string, string>[];
    expect(first).toMatchObject({ pipeline: 'orders', 'pipeline-name': 'a', outcome: 'succeeded', error: '' });
    expect(second).toMatchObject({ 'pipeline-name': 'b', outcome: 'failed', 'status-message': 'x ]' });
    expect(second?.['error']).toMatch(/^Run .* failed/);
  });

  it('stays below 30 KB, and keeps what went wrong', () => {
    const said = { statusMessage: 'ü'.repeat(2_000) };
    const runs = [
      ...Array.from({ length: 400 }, () => named('a', { ...GOOD, ...said })),
      named('b', { ...BAD, ...said }),
    ];
    const { json, leftOut } = resultsOf(runs, plan);
    const entries = JSON.parse(json) as { outcome: string }[];
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(30_000);
    expect(entries.length + leftOut).toBe(401);
    expect(entries.at(-1)?.outcome).toBe('failed');
  });

  it('shortens what is said before it leaves anything out', () => {
    const runs = Array.from({ length: 40 }, () => named('a', { ...BAD, statusMessage: 'x'.repeat(2_000) }));
    const { json, leftOut } = resultsOf(runs, plan);
    expect(leftOut).toBe(0);
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(30_000);
  });
});
