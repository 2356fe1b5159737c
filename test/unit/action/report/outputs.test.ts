import { describe, expect, it } from 'vitest';
import { createOutputWriter, outputsOfAll, outputsOfRun } from '../../../../src/action/report/outputs.ts';
import type { RunState } from '../../../../src/run/state/run-state.ts';
import { aRun, settings } from '../../../support/action.ts';
import { memoryFiles, recordsOf } from '../../../support/memory-files.ts';
import { JOB, PIPELINE } from '../../../support/service.ts';

const FILE = '/runner/output';
const PROBLEM = { attempted: 'trigger the run', cause: 'HTTP 500' };
const { plan } = settings();

function outputs(fields: Partial<RunState>): ReturnType<typeof outputsOfRun> {
  return outputsOfRun(aRun(fields), plan, 'How it ended.');
}

describe('the outputs of one run', () => {
  it('are all set when it has ended', () => {
    const ended: Partial<RunState> = {
      phase: { at: 'finished', status: 'failed' },
      status: 'failed',
      statusMessage: 'disk full',
      startedAt: 1_000,
      endedAt: 63_999,
    };
    expect(outputs(ended)).toEqual({
      'job-id': JOB,
      'job-status': 'failed',
      outcome: 'failed',
      message: 'How it ended.',
      'status-message': 'disk full',
      'pipeline-id': PIPELINE,
      'pipeline-name': 'orders',
      duration: '62',
    });
  });

  it.each<[string, Partial<RunState>, string, string]>([
    ['is queued', {}, 'queued', 'lost'],
    ['is not waited for', { phase: { at: 'detached' } }, 'queued', 'triggered'],
    [
      'was refused',
      { phase: { at: 'not_queued', problem: PROBLEM }, status: undefined },
      'not_queued',
      'not_triggered',
    ],
    ['is unknown', { phase: { at: 'unknown', problem: PROBLEM }, status: undefined }, 'unknown', 'unknown'],
    ['is out of reach', { phase: { at: 'lost', problem: PROBLEM }, status: 'running' }, 'running', 'lost'],
    [
      'is in a status of the future',
      { phase: { at: 'lost', problem: PROBLEM }, status: 'paused\n::error::x' },
      'paused ::error::x',
      'lost',
    ],
  ])('tell when it %s', (_, fields, status, outcome) => {
    expect(outputs(fields)).toMatchObject({ 'job-status': status, outcome });
  });

  it('are empty where nothing is known', () => {
    const nothing = { jobId: undefined, pipeline: undefined, status: undefined, startedAt: undefined };
    expect(outputs({ ...nothing, phase: { at: 'waiting' } })).toMatchObject({
      'job-id': '',
      'status-message': '',
      'pipeline-id': '',
      'pipeline-name': '',
      duration: '',
    });
  });

  it('are one line each, whatever the service says', () => {
    const all = outputs({
      statusMessage: `a\r\noutcome=succeeded\n${'x'.repeat(5_000)}`,
      pipeline: { id: PIPELINE, name: 'b\u2028job-id=1\u001B[31m' },
    });
    expect(all['status-message']).toMatch(/^a outcome=succeeded x+…$/);
    expect(all['status-message'].length).toBeLessThanOrEqual(1_000);
    expect(all['pipeline-name']).toBe('b job-id=1');
  });
});

describe('the outputs of several runs', () => {
  it('are the ids in order, the worst of the rest, and nothing that only one run can have', () => {
    const good = aRun({ phase: { at: 'finished', status: 'completed' }, status: 'completed', endedAt: 5_000 });
    const lost = aRun({
      jobId: PIPELINE,
      phase: { at: 'lost', problem: PROBLEM },
      status: 'running',
      startedAt: 2_000,
    });
    const refused = aRun({
      jobId: undefined,
      startedAt: undefined,
      status: undefined,
      phase: { at: 'not_queued', problem: PROBLEM },
    });
    expect(outputsOfAll([good, lost, refused], plan, 'Mixed.', 61_500)).toEqual({
      'job-id': `${JOB}\n${PIPELINE}`,
      'job-status': 'not_queued',
      outcome: 'lost',
      message: 'Mixed.',
      'status-message': '',
      'pipeline-id': '',
      'pipeline-name': '',
      duration: '61',
    });
  });
});

describe('the writer of outputs', () => {
  it('writes what is new at once, and nothing twice', () => {
    const files = memoryFiles();
    const writer = createOutputWriter(files, FILE);
    writer.write({ 'job-id': JOB, 'job-status': 'queued', message: '' });
    const early = files.text(FILE);
    expect(recordsOf(early)).toEqual({ 'job-id': JOB, 'job-status': 'queued' });
    writer.write({ 'job-id': JOB, 'job-status': 'queued' });
    expect(files.text(FILE)).toBe(early);
    writer.write({ 'job-id': JOB, 'job-status': 'running' });
    expect(files.text(FILE).slice(early.length)).toBe('job-status=running\n');
  });

  it('takes a value back by writing that it is empty', () => {
    const files = memoryFiles();
    const writer = createOutputWriter(files, FILE);
    writer.write({ message: 'x' });
    writer.write({ message: '' });
    expect(recordsOf(files.text(FILE))).toEqual({ message: '' });
  });

  it('throws when the file takes nothing, and tries again with the next', () => {
    const files = memoryFiles();
    const writer = createOutputWriter(files, FILE);
    files.refuse(FILE);
    expect(() => writer.write({ 'job-id': JOB })).toThrow('ENOSPC');
    files.accept(FILE);
    writer.write({ 'job-id': JOB, outcome: 'succeeded' });
    expect(recordsOf(files.text(FILE))).toEqual({ 'job-id': JOB, outcome: 'succeeded' });
  });

  it('writes values of several lines behind all others, which a torn one would swallow', () => {
    const files = memoryFiles();
    const writer = createOutputWriter(files, FILE);
    writer.write({ 'job-id': `${JOB}\n${PIPELINE}`, 'job-status': 'queued', outcome: 'triggered' });
    const lines = files.text(FILE).split('\n');
    expect(lines.slice(0, 2)).toEqual(['job-status=queued', 'outcome=triggered']);
    expect(lines[2]).toMatch(/^job-id<</);
  });

  it('never says again that all is written once a value of several lines may be torn', () => {
    const files = memoryFiles();
    const writer = createOutputWriter(files, FILE);
    files.refuse(FILE);
    expect(() => writer.write({ 'job-id': `${JOB}\n${PIPELINE}` })).toThrow('ENOSPC');
    files.accept(FILE);
    expect(() => writer.write({ outcome: 'succeeded' })).toThrow('may be torn');
    expect(files.text(FILE)).toBe('outcome=succeeded\n');
  });

  it.each([undefined, ''])('writes nothing, and throws nothing, without a file (%j)', (path) => {
    const files = memoryFiles();
    createOutputWriter(files, path).write({ 'job-id': JOB });
    expect(files.paths).toEqual([]);
  });
});
