// The outputs of a step: the values for one run and several runs, the list `results`, and the output file.
import { describe, expect, it } from 'vitest';
import { createOutputWriter, outputsOfAll, outputsOfRun, resultsOf } from '../../../../src/action/report/outputs.ts';
import { PartialWrite } from '../../../../src/base/file-errors.ts';
import type { RunState } from '../../../../src/run/state/run-state.ts';
import { aRun, finished, NO_RUN, settings } from '../../../support/action.ts';
import { memoryFiles, valuesIn } from '../../../support/memory-files.ts';
import { JOB, PIPELINE } from '../../../support/service.ts';

const FILE = '/runner/output';
const PROBLEM = { attempted: 'trigger the run', cause: 'HTTP 500' };
const GOOD = finished('completed', 5_000);
const BAD = finished('failed', 63_999);
const REJECTED: Partial<RunState> = { ...NO_RUN, phase: { at: 'not_queued', problem: PROBLEM } };
const LOST: Partial<RunState> = { phase: { at: 'lost', problem: PROBLEM }, status: 'running', startedAt: 2_000 };
const { plan } = settings({ 'max-attempts': '2' });

const outputs = (fields: Partial<RunState>) => outputsOfRun(aRun(fields), plan, 'How it ended.');

it('the outputs of one run all have values once the run has finished', () => {
  const run = { 'job-id': JOB, 'job-status': 'failed', outcome: 'failed', duration: '62' };
  const texts = { message: 'How it ended.', 'status-message': 'disk full' };
  const pipeline = { 'pipeline-id': PIPELINE, 'pipeline-name': 'orders' };
  const seen = outputs({ ...BAD, statusMessage: 'disk full', startedAt: 1_000 });
  expect(seen).toEqual({ ...run, ...texts, ...pipeline });
});

it('the outputs of one run are empty if their values are unknown', () => {
  const values = Object.entries(outputs({ ...NO_RUN, endedAt: 1, pipeline: undefined, phase: { at: 'waiting' } }));
  const empty = values.filter(([, value]) => value === '').map(([name]) => name);
  expect(empty).toEqual(['job-id', 'status-message', 'pipeline-id', 'pipeline-name', 'duration']);
});

it('the outputs of several runs contain the ids in order, the worst status and outcome, and the time since the first trigger', () => {
  const runs = [aRun(GOOD), aRun({ ...LOST, jobId: PIPELINE }), aRun(REJECTED)];
  const known = { 'job-id': `${JOB}\n${PIPELINE}`, 'job-status': 'not_queued', outcome: 'lost', duration: '61' };
  const ofOneRun = { 'status-message': '', 'pipeline-id': '', 'pipeline-name': '' };
  expect(outputsOfAll(runs, plan, 'Mixed.', 61_500)).toEqual({ ...known, ...ofOneRun, message: 'Mixed.' });
});

it('the outputs of several runs contain no duration if nothing was triggered', () => {
  expect(outputsOfAll([aRun(REJECTED)], plan, '', 1).duration).toBe('');
});

describe('the results output', () => {
  const long = { statusMessage: 'ü'.repeat(2_000) };
  const runs = (count: number, fields: Partial<RunState>): RunState[] =>
    Array.from({ length: count }, () => aRun({ ...fields, ...long }));

  it('has one line for each run, in the order of the runs', () => {
    const { json, leftOut } = resultsOf([aRun(GOOD), aRun({ ...BAD, statusMessage: 'x\n]' }), aRun(REJECTED)], plan);
    expect([leftOut, json.split('\n').length]).toEqual([0, 5]);
    expect(JSON.parse(json)).toMatchObject([
      { pipeline: 'orders', 'pipeline-name': 'orders', outcome: 'succeeded', error: '' },
      { outcome: 'failed', 'status-message': 'x ]', error: expect.stringMatching(/: x \]\. .*\. Open/) as unknown },
      { outcome: 'not_triggered', attempts: [{ id: '', status: 'not_queued', duration: '' }] },
    ]);
  });

  it('omits the entries of successful runs first if all entries together exceed 30 KB', () => {
    const all = [...runs(20, BAD), ...runs(200, GOOD), ...runs(200, { phase: { at: 'detached' } }), ...runs(20, BAD)];
    const { json, leftOut } = resultsOf(all, plan);
    const entries = JSON.parse(json) as { outcome: string }[];
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(30_000);
    expect(entries.length + leftOut).toBe(440);
    expect(entries.filter(({ outcome }) => outcome === 'failed')).toHaveLength(40);
    expect(Buffer.byteLength(json)).toBeGreaterThan(29_000);
    expect(json).toContain('see the log');
  });

  it('shortens messages before it omits entries', () => {
    const { json, leftOut } = resultsOf(runs(40, BAD), plan);
    expect(leftOut).toBe(0);
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(30_000);
    expect(json).toMatch(/üü….*"error":"Run [^"]*…"/);
  });
});

describe('the output writer', () => {
  const IDS = `${JOB}\n${PIPELINE}`;

  function bench() {
    const files = memoryFiles();
    return { files, writer: createOutputWriter(files, FILE) };
  }

  it.each([
    ['first writes only values that are not empty', {}, ''],
    ['writes nothing if no value has changed', { 'job-id': JOB, 'job-status': 'queued' }, ''],
    ['writes only the value that has changed', { 'job-id': JOB, 'job-status': '' }, 'job-status=\n'],
  ])('%s', (_, next, written) => {
    const { files, writer } = bench();
    writer.write({ 'job-id': JOB, 'job-status': 'queued', message: '' });
    writer.write(next);
    expect(files.text(FILE)).toBe(`job-id=${JOB}\njob-status=queued\n${written}`);
  });

  it('throws if the file is not writable, and writes the same values again with the next change', () => {
    const { files, writer } = bench();
    files.refuse(FILE);
    expect(() => writer.write({ 'job-id': IDS })).toThrow('ENOSPC');
    files.accept(FILE);
    writer.write({ 'job-id': IDS, outcome: 'succeeded' });
    expect(valuesIn(files.text(FILE))).toEqual({ 'job-id': IDS, outcome: 'succeeded' });
  });

  it('writes a multi-line value last, because the runner rejects everything after a torn one', () => {
    const { files, writer } = bench();
    writer.write({ 'job-id': IDS, 'job-status': 'queued', outcome: 'triggered' });
    expect(files.text(FILE)).toMatch(/^job-status=queued\noutcome=triggered\njob-id<</);
  });

  it('keeps failing once part of a write may remain', () => {
    const { files, writer } = bench();
    for (const error of [new PartialWrite('EIO'), new Error('ENOSPC')]) {
      files.refuse(FILE, /^/, error);
      expect(() => writer.write({ 'job-id': JOB })).toThrow(error.message);
    }
    files.accept(FILE);
    for (const _ of [1, 2]) expect(() => writer.write({ 'job-id': JOB })).toThrow('EIO');
  });

  it.each([undefined, ''])('does nothing if the file path is %j', (path) => {
    const files = memoryFiles();
    createOutputWriter(files, path).write({ 'job-id': JOB });
    expect(files.paths).toEqual([]);
  });
});
