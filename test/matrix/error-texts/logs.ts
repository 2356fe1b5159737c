// Scenes that show the lines of a log that depend on the situation, and summaries.
import { meeting, meets } from '../../support/meeting.ts';
import { answers } from '../../support/scripted-wire.ts';
import { JOB, PIPELINE } from '../../support/service.ts';
import type { Script, StepOptions } from '../../support/step.ts';
import { announcement, log, type Scene, steps, summary } from './scene.ts';
import { ALL_FILES, RESET, RUN, reading, trigger, uuids } from './shared.ts';

const afterAMinute = (status: string): Script => reading((atMs) => (atMs < 60_000 ? 'running' : status));
/** Every read between 30 seconds and four minutes fails. */
const failing =
  (then: Script): Script =>
  (nth, good, sent) =>
    sent.atMs < 30_000 || sent.atMs > 240_000 ? then(nth, good, sent) : meeting('http_503')(good);
const DRY_RESET = { inputs: { ...RESET, 'dry-run': 'true' } };
const HOUR = 3_600_000;

/** Triggers more runs than fit into the chart, the remarks and the output `results`. */
const MOST_FAIL: StepOptions = {
  inputs: { pipeline: uuids(130) },
  scripts: {
    trigger: (nth, ...rest) => (nth > 40 ? answers(400, '') : trigger(nth, ...rest)),
    read: afterAMinute('completed'),
  },
};

export const LOG_SCENES: readonly Scene[] = [
  announcement(
    'a step begins',
    undefined,
    // The pipeline has no name.
    {
      inputs: { timeout: '45m', 'queue-timeout': '20m' },
      scripts: {
        list: () => answers(200, [{ pipeline_id: PIPELINE, pipeline_name: '\u200B', pipeline_api_name: 'orders' }]),
      },
    },
    { inputs: { ...RESET, wait: 'false' } },
    { inputs: { 'job-id': JOB } },
    { inputs: { 'dry-run': 'true' } },
    { inputs: { pipeline: uuids(31), 'max-parallel': '2', 'fail-fast': 'true', 'max-attempts': '2' } },
  ),
  announcement('a step that awaits an existing run, with inputs that have no effect', {
    inputs: { ...RUN, 'on-timeout': 'leave', 'max-parallel': '3', 'retry-delay': '1m', 'on-lost-response': 'retry' },
  }),
  log('a run completes', undefined, {
    inputs: { 'run-url': 'https://app.example.test/{job-id}' },
    statuses: [...Array.from({ length: 8 }, () => 'queued'), 'picked', 'resting', 'completed'],
  }),
  log('the step does not wait', { inputs: { wait: 'false' } }, { inputs: { 'job-id': JOB, wait: 'false' } }),
  log(
    'an existing run has failed or completed',
    {
      inputs: { 'job-id': JOB },
      scripts: { trigger, read: reading((_, nth) => (nth === 1 ? 'failed' : 'completed')) },
    },
    { inputs: RUN, statuses: ['completed'] },
  ),
  log('runs are triggered one after another and fail', {
    inputs: { pipeline: uuids(2), 'max-parallel': '1', 'fail-fast': 'true', 'max-attempts': '2' },
    scripts: { trigger, read: afterAMinute('failed') },
  }),
  log(
    'contact is lost and restored',
    { scripts: { read: failing(afterAMinute('completed')) } },
    { inputs: { pipeline: uuids(21) }, scripts: { trigger, read: failing(afterAMinute('completed')) } },
  ),
  log('a trigger is retried', {
    inputs: { 'on-lost-response': 'retry' },
    scripts: { trigger: (nth, good) => [undefined, meeting('busy_20s')(good), meeting('down_20s')(good)][nth] },
  }),
  log(
    'the step is interrupted',
    { interruptAtMs: 5_000 },
    { interruptAtMs: 5_000, scripts: { trigger: meets('no_response') } },
  ),
  log('nine runs are left running', {
    inputs: { pipeline: uuids(9), timeout: '1m', 'on-timeout': 'leave' },
    scripts: { trigger, read: reading(() => 'running') },
  }),
  log(
    'a record cannot be written',
    { full: ALL_FILES, fullAtMs: 3_000 },
    {
      inputs: { pipeline: uuids(2), wait: 'false' },
      full: ALL_FILES,
      fullAtMs: 5,
      scripts: { trigger: (...given) => trigger(...given)?.map((each) => ({ ms: 10, ...each })) },
    },
  ),
  log(
    'a dry run',
    DRY_RESET,
    { inputs: { 'dry-run': 'true', 'job-id': JOB } },
    { inputs: { ...RUN, 'dry-run': 'true', 'job-id': uuids(2) }, scripts: { read: reading(() => 'running') } },
  ),
  log('an input is invalid', { inputs: { timeout: '45' } }),
  steps('a job approaches its six-hour limit', {
    env: { RUNNER_ENVIRONMENT: 'github-hosted' },
    statuses: [...Array.from({ length: 690 }, () => 'running'), 'completed'],
    longestMs: 6 * HOUR,
  }),
  summary('40 of 130 runs are triggered', MOST_FAIL, log('', MOST_FAIL)),
  summary('a dry run with reset-target', DRY_RESET),
];
