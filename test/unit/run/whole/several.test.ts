import { describe, expect, it } from 'vitest';
import type { Uuid } from '../../../../src/base/uuid.ts';
import { jobNumber, type Life, listing, pipelineNumber } from '../../../support/fake-service.ts';
import { FAILED } from '../stage.ts';
import { OUTPUT, play, STATE } from './play.ts';

const named = (count: number): string =>
  Array.from({ length: count }, (_, index) => `pipeline-${index + 1}`).join('\n');

/** Lives that end after a minute, each with a status of its own. */
function ends(...statuses: readonly string[]): { readonly life: (nth: number) => Life } {
  return {
    life: (nth) => [
      [0, 'running'],
      [60_000, statuses[nth - 1] ?? 'completed'],
    ],
  };
}

const KEYS = [
  'pipeline',
  'job-id',
  'job-status',
  'outcome',
  'message',
  'status-message',
  'pipeline-id',
  'pipeline-name',
  'duration',
  'error',
];

describe('the outputs of several', () => {
  it('tell of all of them when they end well', async () => {
    const { exitCode, outputs, results, annotations } = await play(
      { pipeline: named(3) },
      { script: ends('completed', 'skipped', 'completed_with_warning') },
    );
    expect(exitCode).toBe(0);
    expect(outputs).toMatchObject({
      'job-id': [1, 2, 3].map(jobNumber).join('\n'),
      'job-status': 'skipped',
      outcome: 'succeeded',
      message: '3 of 3 runs succeeded.',
      duration: '62',
    });
    expect(outputs['status-message'] ?? '').toBe('');
    expect(outputs['pipeline-id'] ?? '').toBe('');
    expect(results.map((entry) => entry['job-status'])).toEqual(['completed', 'skipped', 'completed_with_warning']);
    expect(annotations.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('have an entry of results for each, a line each, with the same keys, in the order of the input', async () => {
    const { outputs, results } = await play(
      { pipeline: `pipeline-3\n${pipelineNumber(2)}\nPipeline 1` },
      { script: ends('completed', 'failed', 'completed') },
    );
    expect(results.map((entry) => Object.keys(entry))).toEqual([KEYS, KEYS, KEYS]);
    expect(results.map((entry) => [entry['pipeline'], entry['job-id'], entry['outcome']])).toEqual([
      ['pipeline-3', jobNumber(1), 'succeeded'],
      [pipelineNumber(2), jobNumber(2), 'failed'],
      ['Pipeline 1', jobNumber(3), 'succeeded'],
    ]);
    const lines = outputs['results']?.split('\n') ?? [];
    expect(lines).toHaveLength(5);
    expect(lines.slice(1, 4).every((line) => line.startsWith('{"pipeline":'))).toBe(true);
  });

  it('have the id of a run only where there is one', async () => {
    const { exitCode, outputs, results } = await play(
      { pipeline: named(4) },
      {
        script: {
          ...ends(),
          trigger: (nth) => (nth === 2 ? { kind: 'no_credits' } : nth === 3 ? FAILED.perhaps : undefined),
        },
      },
    );
    expect(exitCode).toBe(1);
    expect(outputs['job-id']).toBe([1, 2].map(jobNumber).join('\n'));
    expect(results.map((entry) => entry['job-id'])).toEqual([jobNumber(1), '', '', jobNumber(2)]);
    expect(results.map((entry) => entry['job-status'])).toEqual(['completed', 'not_queued', 'unknown', 'completed']);
    expect(results[1]?.['error']).toContain('credits');
    expect(outputs).toMatchObject({ 'job-status': 'unknown', outcome: 'unknown' });
    expect(outputs['message']).toBe('2 of 4 runs succeeded; 1 unknown (Pipeline 3); 1 not triggered (Pipeline 2).');
  });

  it('never look completed with two that completed and one out of credits', async () => {
    for (const broke of [1, 2, 3]) {
      const { exitCode, outputs } = await play(
        { pipeline: named(3) },
        { script: { ...ends(), trigger: (nth) => (nth === broke ? { kind: 'no_credits' } : undefined) } },
      );
      expect([exitCode, outputs['job-status'], outputs['outcome']]).toEqual([1, 'not_queued', 'not_triggered']);
    }
  });

  it('have the ids while the runs still go on, for a process that is killed', async () => {
    const seen: string[] = [];
    await play(
      { pipeline: named(3) },
      { script: ends(), prepare: ({ clock, files }) => clock.after(30_000, () => seen.push(files.text(OUTPUT))) },
    );
    expect(seen[0]).toContain(`${jobNumber(1)}\n${jobNumber(2)}\n${jobNumber(3)}\n`);
  });

  it('tell of an interruption', async () => {
    const { exitCode, outputs, results } = await play({ pipeline: named(3) }, { interruptAtMs: 30_000 });
    expect(exitCode).toBe(1);
    expect(outputs).toMatchObject({ outcome: 'cancelled', 'job-status': 'cancelled', duration: '30' });
    expect(results.every((entry) => entry['outcome'] === 'cancelled')).toBe(true);
  });

  it('tell of wait: false', async () => {
    const { exitCode, outputs } = await play({ pipeline: named(2), wait: 'false' });
    expect(exitCode).toBe(0);
    expect(outputs).toMatchObject({
      outcome: 'triggered',
      'job-status': 'queued',
      'job-id': [1, 2].map(jobNumber).join('\n'),
    });
  });
});

describe('the output results of hundreds', () => {
  const many = Array.from({ length: 500 }, (_, index) => `A pipeline with quite a long name, number ${index + 1}`);
  const workspace = {
    kind: 'pipelines',
    pipelines: many.map((name, index) => ({ id: pipelineNumber(index + 1), name, apiName: null })),
    mayBeTruncated: false,
  } as const;
  const said = 'x'.repeat(5_000);
  const read = (_: number, id: Uuid) => ({ kind: 'job', job: { id, status: 'failed', statusMessage: said } }) as const;

  it('is at most 30 KB, with room for what went wrong first', async () => {
    const bad = new Set([77, 250, 499]);
    const { outputs, results, log, annotations } = await play(
      { pipeline: many.join('\n') },
      {
        script: {
          list: () => workspace,
          life: (nth) => [
            [0, 'running'],
            [40_000, bad.has(nth) ? 'failed' : 'completed'],
          ],
        },
      },
    );
    expect(Buffer.byteLength(outputs['results'] ?? '')).toBeLessThanOrEqual(30_000);
    const told = results.map((entry) => entry['pipeline-id']);
    expect(told).toEqual(expect.arrayContaining([...bad].map(pipelineNumber)));
    expect(told).toEqual([...told].sort());
    expect(results.length).toBeGreaterThan(60);
    expect(log).toContain(`${500 - results.length} of 500 runs do not fit`);
    for (const { outcome, error } of results) expect(error !== '').toBe(outcome !== 'succeeded');
    expect(annotations.filter(({ level }) => level === 'error')).toHaveLength(3);
    expect(outputs['job-id']?.split('\n')).toHaveLength(500);
    expect(outputs['message']).toContain('497 of 500 runs succeeded; 3 failed');
  });

  it('has its messages shortened before an entry is left out', async () => {
    const { outputs, results } = await play(
      { pipeline: many.slice(0, 40).join('\n') },
      { script: { list: () => workspace, read } },
    );
    expect(Buffer.byteLength(outputs['results'] ?? '')).toBeLessThanOrEqual(30_000);
    expect(results).toHaveLength(40);
    expect(results.every((entry) => Object.keys(entry).length === KEYS.length)).toBe(true);
    expect(results[0]?.['status-message']?.length).toBeGreaterThan(30);
  });

  it('has whole messages where there is room', async () => {
    const { results } = await play(
      { pipeline: many.slice(0, 5).join('\n') },
      { script: { list: () => workspace, read } },
    );
    expect(results[0]?.['status-message']).toHaveLength(1_000);
  });

  it('annotates no more than a runner shows', async () => {
    const { annotations, log } = await play(
      { pipeline: named(60) },
      { script: ends(...Array.from({ length: 60 }, () => 'failed')) },
    );
    expect(annotations.length).toBeLessThanOrEqual(10);
    expect(annotations.at(-1)?.title).toContain('more runs');
    for (const nth of [1, 30, 60]) expect(log).toContain(jobNumber(nth));
  });
});

describe('nothing is triggered', () => {
  it('for a typo in the last line', async () => {
    const { exitCode, calls, outputs, results, annotations } = await play({ pipeline: `${named(5)}\npipelin-6` });
    expect(exitCode).toBe(1);
    expect(calls.map(({ call }) => call)).toEqual(['connect', 'list']);
    expect(outputs).toMatchObject({ outcome: 'not_triggered', 'job-status': 'not_queued' });
    expect(outputs['job-id']).toBeUndefined();
    expect(outputs['message']).toContain('"pipelin-6"');
    expect(annotations).toMatchObject([{ level: 'error', message: expect.stringContaining('pipeline-6') as string }]);
    expect(results).toHaveLength(6);
    expect(results[5]?.['error']).toContain('Did you mean "pipeline-6"');
    expect(results[0]?.['error']).not.toContain('Did you mean');
  });

  it('for many typos; the annotations are no more than a runner shows, and the log has all', async () => {
    const wrong = Array.from({ length: 25 }, (_, index) => `wrong-${index + 1}`);
    const { annotations, log } = await play({ pipeline: wrong.join('\n') });
    expect(annotations).toHaveLength(8);
    expect(annotations.at(-1)?.message).toBe('18 more problems are in the log.');
    const told = [...annotations.map(({ message }) => message), log].join('\n');
    for (const name of wrong) expect(told).toContain(`"${name}"`);
  });

  it('for one pipeline in two spellings', async () => {
    const { exitCode, calls, outputs } = await play({ pipeline: `pipeline-1\nPipeline 2\nPipeline 1` });
    expect(exitCode).toBe(1);
    expect(calls.map(({ call }) => call)).toEqual(['connect', 'list']);
    expect(outputs['message']).toContain('"pipeline-1" and "Pipeline 1" are the same pipeline');
  });

  it('for reset-target with several, and nothing is even asked', async () => {
    const { exitCode, calls, annotations } = await play({
      pipeline: named(2),
      'full-resync': 'true',
      'reset-target': 'true',
    });
    expect(exitCode).toBe(1);
    expect(calls).toEqual([]);
    expect(annotations).toMatchObject([{ message: expect.stringContaining('2 pipelines') as string }]);
  });

  it('by a name with reset-target where the list may have been cut off', async () => {
    const { exitCode, triggered } = await play(
      { pipeline: 'pipeline-1', 'full-resync': 'true', 'reset-target': 'true' },
      { script: { list: () => ({ ...listing(), mayBeTruncated: true }) } },
    );
    expect([exitCode, triggered()]).toEqual([1, []]);
  });
});

describe('the state of several', () => {
  it('is appended for each run as things happen, and stays small', async () => {
    const sizes: number[] = [];
    const { files, records } = await play(
      { pipeline: named(100) },
      {
        script: ends(),
        prepare: ({ clock, files: written }) => {
          for (const at of [1, 30_000, 70_000]) {
            clock.after(at, () => sizes.push(written.text(STATE).length));
          }
        },
      },
    );
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    const text = files.text(STATE);
    expect(text.length / 100).toBeLessThan(500);
    expect(text.split('\n').every((line) => line.length < 400)).toBe(true);
    const ofTen = records.filter(({ run }) => run === 10).map(({ fact }) => fact.kind);
    expect(ofTen).toEqual(['intent', 'queued', 'finished']);
  });
});
