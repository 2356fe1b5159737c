import { describe, expect, it } from 'vitest';
import type { Inputs } from '../../../support/action.ts';
import { FAILED, jobNumber, type Life, type ServiceScript as Script } from '../../../support/fake-service.ts';
import { API_KEY } from '../../../support/service.ts';
import { playStep, STEP_FILES } from '../../../support/step.ts';

const [A, B, C] = [jobNumber(901), jobNumber(902), jobNumber(903)];
const RUNNING: Life = [[0, 'running']];

interface PlayOptions {
  readonly script?: Script;
  readonly interruptAtMs?: number;
  readonly full?: boolean;
}

async function play(inputs: Inputs, { script = {}, full, ...options }: PlayOptions = {}) {
  const played = await playStep({
    entry: 'cancel',
    inputs,
    service: script,
    ...options,
    ...(full && { full: [STEP_FILES.output] }),
  });
  const calls = played.made('cancel').length + played.made('read').length;
  return {
    ...played,
    endedAt: played.endedAtMs,
    statuses: played.results.map((entry) => entry['job-status']),
    calls: [...played.made('cancel'), ...played.made('read')].slice(0, calls),
  };
}

describe('the cancel action', () => {
  it('cancels each run, and succeeds once it has seen them all ended', async () => {
    const existing = { [A]: RUNNING, [B]: RUNNING };
    const { exitCode, outputs, statuses, calls, annotations, masked } = await play(
      { 'job-id': `${A}\n${B}` },
      { script: { existing } },
    );
    expect(exitCode).toBe(0);
    expect(outputs['job-status']).toBe('cancelled');
    expect(statuses).toEqual(['cancelled', 'cancelled']);
    expect(calls.map(({ call }) => call)).toEqual(['cancel', 'cancel']);
    expect(annotations).toEqual([]);
    expect(masked).toEqual([API_KEY]);
  });

  it('keeps the end of a run that was over, and is content', async () => {
    const existing = { [A]: [[0, 'failed']], [B]: [[0, 'completed']] } as const;
    const { exitCode, outputs, statuses } = await play({ 'job-id': `${A}\n${B}` }, { script: { existing } });
    expect(exitCode).toBe(0);
    expect(statuses).toEqual(['failed', 'completed']);
    expect(outputs['job-status']).toBe('failed');
  });

  it('gives an id that is unknown up soon, and fails; the others are cancelled', async () => {
    const { exitCode, statuses, endedAt, annotations, statusOf } = await play(
      { 'job-id': `${A}\n${C}` },
      { script: { existing: { [A]: RUNNING } } },
    );
    expect(exitCode).toBe(1);
    expect(statuses).toEqual(['cancelled', 'unknown']);
    expect(endedAt).toBeLessThan(5_000);
    expect(statusOf(A)).toBe('cancelled');
    expect(annotations).toMatchObject([
      { level: 'error', title: `run-pipeline/cancel: ${C}`, message: expect.stringContaining('workspace') as string },
    ]);
  });

  it('does not give a run up that was seen once', async () => {
    const missing = { kind: 'missing' } as const;
    const { exitCode, statuses } = await play(
      { 'job-id': A },
      {
        script: {
          existing: { [A]: RUNNING },
          cancel: (nth) => (nth < 6 ? { kind: 'unchanged' } : undefined),
          read: (nth) => (nth === 2 ? undefined : missing),
        },
      },
    );
    expect(exitCode).toBe(0);
    expect(statuses).toEqual(['cancelled']);
  });

  it.each(['', '\n  \n'])('has nothing to do for job-id %j, says so, and asks nothing', async (ids) => {
    const { exitCode, calls, outputs, annotations } = await play({ 'job-id': ids });
    expect([exitCode, calls]).toEqual([0, []]);
    expect(annotations).toMatchObject([{ level: 'notice', message: expect.stringContaining('empty') as string }]);
    expect(outputs['results']).toBe('[]');
  });

  it('takes an id that is given twice for one run', async () => {
    const { exitCode, calls, statuses } = await play(
      { 'job-id': `${A}\n${A.toUpperCase()}` },
      { script: { existing: { [A]: RUNNING } } },
    );
    expect([exitCode, statuses]).toEqual([0, ['cancelled']]);
    expect(calls).toHaveLength(1);
  });

  it.each([
    { 'job-id': 'latest' },
    { 'job-id': A, 'api-key': '' },
    { 'job-id': A, 'api-key': 'eyJhbGciOiJIUzI1NiJ9.e30.x' },
    { 'job-id': A, 'base-url': 'http://app.example.test' },
  ])('asks nothing when its inputs are wrong: %j', async (inputs) => {
    const { exitCode, calls, annotations, outputs } = await play(inputs);
    expect([exitCode, calls]).toEqual([1, []]);
    expect(annotations).toMatchObject([{ level: 'error' }]);
    expect(outputs['results']).toBe('[]');
  });

  it('goes on for three minutes while the key is rejected, and then fails with that', async () => {
    const { exitCode, endedAt, statuses, annotations } = await play(
      { 'job-id': A },
      { script: { existing: { [A]: RUNNING }, cancel: () => FAILED.keyRefused } },
    );
    expect([exitCode, statuses]).toEqual([1, ['unknown']]);
    expect(endedAt).toBeGreaterThan(150_000);
    expect(endedAt).toBeLessThanOrEqual(180_000);
    expect(annotations).toMatchObject([{ level: 'error' }]);
    expect(annotations[0]?.message).toContain('HTTP 401');
    expect(annotations[0]?.message).not.toContain('post step');
  });

  it('goes on for three minutes while the service is away, and no longer', async () => {
    const { exitCode, endedAt, calls } = await play(
      { 'job-id': `${A}\n${B}` },
      { script: { existing: { [A]: RUNNING, [B]: RUNNING }, cancel: () => FAILED.perhaps } },
    );
    expect(exitCode).toBe(1);
    expect(endedAt).toBeGreaterThan(150_000);
    expect(endedAt).toBeLessThanOrEqual(180_000);
    expect(calls.length).toBeLessThan(80);
  });

  it('waits an outage out', async () => {
    const { exitCode, statuses, lines } = await play(
      { 'job-id': A },
      { script: { existing: { [A]: RUNNING }, cancel: (nth) => (nth < 5 ? FAILED.perhaps : undefined) } },
    );
    expect([exitCode, statuses]).toEqual([0, ['cancelled']]);
    expect(lines.filter((line) => line.includes('Retrying.'))).toHaveLength(4);
  });

  it('ends in time when it is itself told to, with its outputs written', async () => {
    const ids = Array.from({ length: 300 }, (_, index) => jobNumber(index + 1));
    const existing = Object.fromEntries(ids.map((id) => [id, RUNNING]));
    const { exitCode, endedAt, statuses } = await play(
      { 'job-id': ids.join('\n') },
      { script: { existing, cancel: (_, id) => (id < jobNumber(251) ? undefined : 'stalls') }, interruptAtMs: 1_000 },
    );
    expect(exitCode).toBe(1);
    expect(endedAt).toBeLessThanOrEqual(1_000 + 6_500);
    expect(statuses.filter((status) => status === 'unknown').length).toBeGreaterThan(0);
  });

  it('cancels hundreds, no more than fifty at once', async () => {
    const ids = Array.from({ length: 300 }, (_, index) => jobNumber(index + 1));
    const existing = Object.fromEntries(ids.map((id) => [id, RUNNING]));
    const { exitCode, endedAt, calls } = await play(
      { 'job-id': ids.join('\n') },
      { script: { existing, callMs: 100 } },
    );
    expect([exitCode, endedAt, calls.length]).toEqual([0, 600, 300]);
  });

  it('fails when its outputs cannot be written', async () => {
    const { exitCode, annotations } = await play(
      { 'job-id': A },
      { script: { existing: { [A]: RUNNING } }, full: true },
    );
    expect(exitCode).toBe(1);
    expect(annotations).toMatchObject([{ message: expect.stringContaining('ENOSPC') as string }]);
  });

  it('shows what the service says as text', async () => {
    const message = '\r\n::error::x\u202e';
    const { lines } = await play(
      { 'job-id': A },
      {
        script: {
          existing: { [A]: RUNNING },
          cancel: () => ({ kind: 'job', job: { id: A, status: 'cancelled', statusMessage: message } }),
        },
      },
    );
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.some((line) => /[\r\n\u202e]|^\s*::/.test(line))).toBe(false);
  });
});
