// Tests the outputs, log, annotations and records of a step with several runs.
import { describe, expect, it } from 'vitest';
import { ends, FAILED, jobNumber, pipelineNumber, pipelines, type ServiceScript } from '../../support/fake-service.ts';
import { each, fullDisk, matching, saying, scenarios } from '../../support/scenarios.ts';
import { playStep, STEP_FILES } from '../../support/step.ts';

/** Each run finishes after a minute, with its own status. */
const finishing = (...statuses: readonly string[]): ServiceScript => ({
  life: (nth) => ends(60_000, statuses[nth - 1]),
});
const ids = (...numbers: readonly number[]): string => numbers.map(jobNumber).join('\n');
const HALF_AN_HOUR = ends(1_800_000);
const THREE = { pipeline: pipelines(3) };

describe('the outputs of several runs', () => {
  scenarios({
    'contain all ids and the worst of the successful statuses': [
      { inputs: THREE, service: finishing('completed', 'skipped', 'completed_with_warning') },
      {
        exitCode: 0,
        levels: 'warning notice',
        statuses: 'completed skipped completed_with_warning',
        outputs: { 'job-id': ids(1, 2, 3), 'job-status': 'skipped', outcome: 'succeeded', duration: '62' },
      },
    ],
    'contain the ids of the runs that exist, and the worst outcome': [
      {
        inputs: { pipeline: pipelines(4) },
        service: {
          ...finishing(),
          trigger: (nth) => (nth === 2 ? { kind: 'no_credits' } : nth === 3 ? FAILED.perhaps : undefined),
        },
      },
      {
        exitCode: 1,
        outputs: {
          'job-id': ids(1, 2),
          'job-status': 'unknown',
          outcome: 'unknown',
          message: matching(/^2 of 4 .*1 unknown \(Pipeline 3\); 1 not triggered \(Pipeline 2\)/),
        },
        results: [
          { 'job-id': jobNumber(1), 'job-status': 'completed', error: '' },
          { 'job-id': '', 'job-status': 'not_queued', error: saying('credits') },
          { 'job-id': '', 'job-status': 'unknown' },
          { 'job-id': jobNumber(2), 'job-status': 'completed' },
        ],
      },
    ],
  });

  it('contain results with one line per run, in input order and with the same keys', async () => {
    const inputs = { pipeline: `pipeline-3\n${pipelineNumber(2)}\nPipeline 1` };
    const { outputs, results } = await playStep({ inputs, service: finishing('completed', 'failed') });
    const keys = 'pipeline job-id job-status outcome message status-message pipeline-id pipeline-name duration error';
    expect(results.map((entry) => Object.keys(entry).join(' '))).toEqual([keys, keys, keys]);
    expect(results).toMatchObject([
      { pipeline: 'pipeline-3', 'job-id': jobNumber(1), outcome: 'succeeded' },
      { pipeline: pipelineNumber(2), 'job-id': jobNumber(2), outcome: 'failed' },
      { pipeline: 'Pipeline 1', 'job-id': jobNumber(3), outcome: 'succeeded' },
    ]);
    expect(outputs['results']).toMatch(/^\[\n(?:\{"pipeline":.*\n){3}\]$/);
  });

  it('contain the ids while the runs are in progress, in case the process is killed', async () => {
    let early = '';
    await playStep({
      inputs: THREE,
      service: finishing(),
      watch: ({ clock, files }) => clock.after(30_000, () => (early = files.text(STEP_FILES.output))),
    });
    expect(early).toContain(ids(1, 2, 3));
  });
});

describe('the log of several runs', () => {
  const early = (text: string): unknown => matching(new RegExp(`${text}[^]*running → completed`));

  scenarios({
    ...each([3, 30], (count) => [
      `shows at once that one of ${count} triggers is unconfirmed`,
      {
        inputs: { pipeline: pipelines(count) },
        service: { life: () => HALF_AN_HOUR, trigger: (nth) => (nth === 2 ? FAILED.perhaps : undefined) },
      },
      { log: early('A run of Pipeline 2 may be') },
    ]),
    'shows at once which triggers fail-fast prevents': [
      {
        inputs: { ...THREE, 'max-parallel': '2', 'fail-fast': 'true', 'on-cancel': 'leave' },
        service: { life: (nth) => (nth === 1 ? [[5_000, 'failed']] : HALF_AN_HOUR) },
      },
      { log: early('no run of Pipeline 3') },
    ],
    'names the pipeline whose trigger is retried': [
      { inputs: THREE, service: { ...finishing(), trigger: (nth) => (nth === 1 ? FAILED.notProcessed : undefined) } },
      { log: matching(/^\[0s\] Pipeline 1: Could not .* Retrying in /m) },
    ],
    'ends with a warning for each pipeline that may have other runs, before other warnings': [
      {
        inputs: { ...THREE, 'on-lost-response': 'retry' },
        service: { ...finishing('completed_with_warning'), trigger: (nth) => [FAILED.perhaps][nth % 2] },
      },
      {
        annotations: [...[2, 3].map((nth) => ({ message: saying(`Other runs of Pipeline ${nth}`) })), {}],
        outputs: { message: saying('other runs of 2') },
      },
    ],
  });

  it('has one line for each of a hundred untriggered runs, and a second line for at most twenty of them', async () => {
    const { lines } = await playStep({
      inputs: { pipeline: pipelines(100) },
      service: { trigger: () => ({ kind: 'no_credits' }) },
    });
    const named = lines.flatMap((line) => /^No run of (Pipeline \d+)/.exec(line)?.[1] ?? []);
    expect([new Set(named).size, named.length <= 120]).toEqual([100, true]);
  });
});

describe('a record that cannot be written', () => {
  const full = fullDisk(/^/, 1_000);
  const left = { timeout: '10s', 'on-timeout': 'leave' };
  const detached = { pipeline: pipelines(2), wait: 'false' };
  const late: ServiceScript = {
    trigger: (nth) => (nth === 2 ? { afterMs: 5_000, outcome: { kind: 'queued', jobId: jobNumber(9) } } : undefined),
  };

  scenarios({
    'is reported if post may therefore cancel a run that should be left running': [
      { ...full, inputs: left },
      { annotations: [{ message: saying('may cancel the run') }] },
    ],
    'does not prevent the cancel after a timeout': [
      {
        ...full,
        ...fullDisk(/"kind":"stopped"/),
        inputs: { timeout: '10s', 'on-cancel': 'leave', 'on-timeout': 'cancel' },
      },
      { statuses: 'cancelled' },
    ],
    'is not reported if on-cancel is leave': [
      { ...full, inputs: { ...left, 'on-cancel': 'leave' } },
      { annotations: [{ message: expect.not.stringContaining('may cancel the run') as string }] },
    ],
    'fails a step with wait: false, and the error names the runs': [
      { ...full, inputs: detached, service: late },
      { exitCode: 1, outputs: { message: matching(/2 may be cancelled .*\(Pipeline 1, Pipeline 2\)/) } },
    ],
    'does not fail a step with wait: false if on-cancel is leave': [
      { ...full, inputs: { ...detached, 'on-cancel': 'leave' }, service: late },
      { exitCode: 0 },
    ],
  });
});

it('the state of a hundred runs has fewer than 50,000 characters, and fewer than 500 in each line', async () => {
  const { files, factsOf } = await playStep({ inputs: { pipeline: pipelines(100) }, service: finishing() });
  const text = files.text(STEP_FILES.state);
  expect(text.length).toBeLessThan(50_000);
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(500);
  expect(factsOf(10)).toBe('intent queued finished');
});
