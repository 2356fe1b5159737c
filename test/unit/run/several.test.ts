// Tests the outputs, log, annotations and records of a step with several runs.
import { describe, expect, it } from 'vitest';
import {
  ends,
  FAILED,
  jobNumber,
  type Life,
  pipelineNumber,
  pipelines,
  type ServiceScript,
} from '../../support/fake-service.ts';
import { fullDisk, matching, rows, type Scenario, saying, scenarios } from '../../support/scenarios.ts';
import { playStep, STEP_FILES } from '../../support/step.ts';

/** Builds lives that end after a minute, each with its own status. */
const finishing = (...statuses: readonly string[]): ServiceScript => ({
  life: (nth) => ends(60_000, statuses[nth - 1]),
});
const ids = (...numbers: readonly number[]): string => numbers.map(jobNumber).join('\n');
const HALF_AN_HOUR: Life = ends(1_800_000);
const [HEADS, LISTED] = [{ pipeline: pipelines(3) }, saying('Did you mean "pipeline-6"')];

describe('the outputs of several runs', () => {
  scenarios({
    'contain all ids, and the worst status of the successful runs': [
      { inputs: HEADS, service: finishing('completed', 'skipped', 'completed_with_warning') },
      {
        exitCode: 0,
        levels: 'warning notice',
        statuses: 'completed skipped completed_with_warning',
        outputs: { 'job-id': ids(1, 2, 3), 'job-status': 'skipped', outcome: 'succeeded', duration: '62' },
      },
    ],
    'contain an id only for a run that exists, and the worst outcome': [
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
          message: expect.stringMatching(
            /^2 of 4 .*1 unknown \(Pipeline 3\); 1 not triggered \(Pipeline 2\)/,
          ) as string,
        },
        results: [
          { 'job-id': jobNumber(1), 'job-status': 'completed', error: '' },
          { 'job-id': '', 'job-status': 'not_queued', error: saying('credits') },
          { 'job-id': '', 'job-status': 'unknown' },
          { 'job-id': jobNumber(2), 'job-status': 'completed' },
        ],
      },
    ],
    'report an interruption': [
      { inputs: HEADS, service: finishing(), interruptAtMs: 30_000 },
      { exitCode: 1, outputs: { outcome: 'cancelled', 'job-status': 'cancelled', duration: '30' } },
    ],
    'name an unknown pipeline with a suggestion, and show that nothing was triggered': [
      { inputs: { pipeline: `${pipelines(5)}\npipelin-6` }, service: {} },
      {
        exitCode: 1,
        calls: 'connect list',
        outputs: { outcome: 'not_triggered', 'job-status': 'not_queued', message: saying('"pipelin-6"') },
        annotations: [{ level: 'error', message: saying('pipeline-6') }],
        results: [1, 2, 3, 4, 5, 6].map((nth) => ({
          error: nth === 6 ? LISTED : (expect.not.stringContaining('Did you mean') as unknown),
        })),
      },
    ],
  });

  it('include results on one line, with an entry per run in input order, all with the same keys', async () => {
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
      inputs: HEADS,
      service: finishing(),
      watch: ({ clock, files }) => clock.after(30_000, () => (early = files.text(STEP_FILES.output))),
    });
    expect(early).toContain(ids(1, 2, 3));
  });
});

describe('the log of several runs', () => {
  const lost = (nth: number): ServiceScript => ({
    trigger: (count) => (count === nth ? FAILED.perhaps : undefined),
    life: () => HALF_AN_HOUR,
  });
  const early = (text: string): RegExp => new RegExp(`${text}[^]*running → completed`);

  scenarios({
    ...rows(
      [3, 30].map(
        (count): Scenario => [
          `immediately reports that one of ${count} runs is unknown`,
          { inputs: { pipeline: pipelines(count) }, service: lost(2) },
          { log: expect.stringMatching(early('A run of Pipeline 2 may be')) as string },
        ],
      ),
    ),
    'immediately reports the runs that fail-fast prevents': [
      {
        inputs: { ...HEADS, 'max-parallel': '2', 'fail-fast': 'true', 'on-cancel': 'leave' },
        service: { life: (nth) => (nth === 1 ? [[5_000, 'failed']] : HALF_AN_HOUR) },
      },
      { log: expect.stringMatching(early('no run of Pipeline 3')) as string },
    ],
    'names the pipeline of a repeated trigger': [
      { inputs: HEADS, service: { ...finishing(), trigger: (nth) => (nth === 1 ? FAILED.notProcessed : undefined) } },
      { log: matching(/^\[0s\] Pipeline 1: Could not .* Retrying in /m) },
    ],
    'is accompanied by one warning about all triggers that may have queued two runs': [
      {
        inputs: { pipeline: pipelines(14), 'on-lost-response': 'retry' },
        service: { ...finishing(), trigger: (nth) => (nth % 2 === 1 ? FAILED.perhaps : undefined) },
      },
      { levels: 'warning' },
    ],
  });

  it('has one line for each of a hundred untriggered runs, and two lines for each of the first runs', async () => {
    const { lines } = await playStep({
      inputs: { pipeline: pipelines(100) },
      service: { trigger: () => ({ kind: 'no_credits' }) },
    });
    expect(lines.filter((line) => line.startsWith('No run of Pipeline ')).length).toBeLessThanOrEqual(120);
  });
});

describe('a record that cannot be written', () => {
  const full = { ...fullDisk(/^/, 1_000), service: { life: () => [[0, 'running']] } } satisfies Scenario[1];
  const left = { timeout: '10s', 'on-timeout': 'leave' };
  const detached = { pipeline: pipelines(2), wait: 'false' };
  const late: ServiceScript = {
    trigger: (nth) => (nth === 2 ? { afterMs: 5_000, outcome: { kind: 'queued', jobId: jobNumber(9) } } : undefined),
  };

  scenarios({
    'is reported if post may therefore cancel a run that should be left running': [
      { ...full, inputs: left },
      { annotations: [{ message: saying('may cancel it') }] },
    ],
    'is not reported if on-cancel is leave': [
      { ...full, inputs: { ...left, 'on-cancel': 'leave' } },
      { annotations: [{ message: expect.not.stringContaining('may cancel it') as string }] },
    ],
    'fails a step that does not wait, and the error names the runs': [
      { ...full, inputs: detached, service: late },
      { exitCode: 1, outputs: { message: matching(/2 may be cancelled .*\(Pipeline 1, Pipeline 2\)/) } },
    ],
    'does not fail a step that does not wait if on-cancel is leave': [
      { ...full, inputs: { ...detached, 'on-cancel': 'leave' }, service: late },
      { exitCode: 0 },
    ],
  });
});

it('the state of a hundred runs stays small', async () => {
  const { files, factsOf } = await playStep({ inputs: { pipeline: pipelines(100) }, service: finishing() });
  const text = files.text(STEP_FILES.state);
  expect(text.length).toBeLessThan(50_000);
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(500);
  expect(factsOf(10)).toBe('intent queued finished');
});
