import { journalPath } from '../../../src/action/state/journals.ts';
import { answers } from '../../support/scripted-wire.ts';
import { bootstrap, JOB } from '../../support/service.ts';
import { STEP_FILES } from '../../support/step.ts';
import { FAULTS } from '../faults.ts';
import { type Scene, step } from './scene.ts';

const TEN = Array.from({ length: 10 }, (_, index) => `00000000-0000-4000-8000-00000000000${index}`).join('\n');
const ALL_FILES = [STEP_FILES.state, journalPath({ RUNNER_TEMP: STEP_FILES.temp }, 4_711, 0.5)];
const RUNNING = ['running'];
/** On this machine reads may come as often as one likes. */
const SANDBOX = { 'base-url': 'http://127.0.0.1:8080', 'poll-interval': '100ms' };
const NOTHING_CHANGED = () => answers(200, '[]');
const stalls = () => [];

/** How a run ended, or what became of it when the step stopped waiting. */
/** Each trigger queues a run of its own. */
const NEW_ID = (nth: number): ReturnType<typeof answers> => answers(200, JSON.stringify(nthJob(nth)));

/** The nth run ends before its first read. */
const ended = (nth: number, status: string): ReturnType<typeof answers> =>
  answers(200, [{ id: nthJob(nth), job_status: status, status_message: null }]);

function nthJob(nth: number): string {
  return JOB.replace('1', String(nth));
}

export const RUN_SCENES: readonly Scene[] = [
  step('the run failed', { statuses: ['failed'] }),
  step('the run ran into its time limit', { statuses: ['timed_out'] }),
  step('the run was cancelled by somebody else', { statuses: ['cancelled'] }),
  step('the run completed with warnings', { statuses: ['completed_with_warning'] }),
  step('the run was skipped', { statuses: ['skipped'] }),
  step('the run ended in a way that succeed-on does not name', {
    inputs: { 'succeed-on': 'skipped' },
    statuses: ['completed'],
  }),
  step('the timeout is over', { inputs: { timeout: '5m' }, statuses: RUNNING }),
  step('the timeout is over, and the run is left', {
    inputs: { timeout: '5m', 'on-timeout': 'leave' },
    statuses: RUNNING,
  }),
  step('the timeout is over, and the run ends before it could be cancelled', {
    inputs: { timeout: '45s' },
    statuses: ['running', 'running', 'running', 'completed'],
    scripts: { cancel: NOTHING_CHANGED },
  }),
  step('the queue-timeout is over', { inputs: { 'queue-timeout': '5m' }, statuses: ['queued'] }),
  step('the run cannot be cancelled in its status', {
    inputs: { ...SANDBOX, timeout: '5s' },
    statuses: ['paused'],
    scripts: { cancel: NOTHING_CHANGED },
  }),
  step('the run cannot be seen any more while it is cancelled', {
    inputs: { ...SANDBOX, timeout: '5s', 'poll-interval': '4s' },
    scripts: { cancel: NOTHING_CHANGED, read: (nth) => (nth > 2 ? answers(200, '[]') : undefined) },
    statuses: RUNNING,
  }),
  step('the id comes when no time is left to cancel', {
    interruptAtMs: 5,
    scripts: {
      trigger: (_nth, good) => [{ connected: true }, { status: 200 }, { ms: 9_240, text: good }, { end: 'complete' }],
    },
  }),
  step('the step is interrupted, and the run is cancelled', { interruptAtMs: 40_000, statuses: RUNNING }),
  step('the step is interrupted, and the run is left', {
    inputs: { 'on-cancel': 'leave' },
    interruptAtMs: 40_000,
    statuses: RUNNING,
  }),
  step('the step is interrupted, and the service is away', {
    interruptAtMs: 40_000,
    statuses: RUNNING,
    scripts: { cancel: stalls },
  }),
  step('the step is interrupted before the trigger', { interruptAtMs: 5, scripts: { exchange: stalls } }),
  step('the step is interrupted while the answer to the trigger is awaited', {
    interruptAtMs: 5_000,
    scripts: { trigger: () => [{ connected: true }] },
  }),
  step('fail-fast stops the others', {
    inputs: { pipeline: TEN.split('\n').slice(0, 3).join('\n'), 'fail-fast': 'true', 'max-parallel': '1' },
    scripts: { trigger: (_nth, good) => FAULTS['HTTP 400'](good) },
  }),
  step('more runs need attention than there is room for', {
    inputs: { pipeline: TEN },
    scripts: { trigger: (_nth, good) => FAULTS['HTTP 400'](good) },
  }),
  step('the second attempt succeeds', {
    inputs: { 'max-attempts': '3' },
    scripts: { trigger: NEW_ID, read: (nth) => ended(nth, nth === 1 ? 'failed' : 'completed') },
  }),
  step('every attempt fails', {
    inputs: { 'max-attempts': '2' },
    scripts: { trigger: NEW_ID, read: (nth) => ended(nth, 'failed') },
  }),
  step('retry-on does not name the status of the run', {
    inputs: { 'max-attempts': '3', 'retry-on': 'timed_out' },
    statuses: ['failed'],
  }),
  step('another run may be in progress, so none is triggered', {
    inputs: { 'max-attempts': '3', 'on-lost-response': 'retry' },
    statuses: ['failed'],
    scripts: { trigger: (nth, good) => (nth === 1 ? FAULTS['HTTP 504'](good) : undefined) },
  }),
  step('the timeout leaves no time for another attempt', {
    inputs: { 'max-attempts': '3', timeout: '50s' },
    statuses: ['failed'],
  }),
  step('the trigger of the second attempt is refused', {
    inputs: { 'max-attempts': '3' },
    statuses: ['failed'],
    scripts: { trigger: (nth) => (nth === 1 ? undefined : answers(200, 'null')) },
  }),
  step('the answer to the trigger of the second attempt is lost', {
    inputs: { 'max-attempts': '3' },
    statuses: ['failed'],
    scripts: { trigger: (nth, good) => (nth === 1 ? undefined : FAULTS['HTTP 504'](good)) },
  }),
  step('the step is interrupted between two attempts', {
    inputs: { 'max-attempts': '3' },
    statuses: ['failed'],
    interruptAtMs: 40_000,
  }),
  step('reset-target', { inputs: { 'reset-target': 'true', 'full-resync': 'true' } }),
  step('reset-target, and the answer to the trigger is lost', {
    inputs: { 'reset-target': 'true', 'full-resync': 'true' },
    scripts: { trigger: (_nth, good) => FAULTS['reset after the request body'](good) },
  }),
  step('on-lost-response: retry, and the answer to the trigger is lost once', {
    inputs: { 'on-lost-response': 'retry' },
    scripts: { trigger: (nth, good) => (nth === 1 ? FAULTS['HTTP 504'](good) : undefined) },
  }),
  step('on-lost-response: retry, and every answer to the trigger is lost', {
    inputs: { 'on-lost-response': 'retry' },
    scripts: { trigger: (_nth, good) => FAULTS['HTTP 504'](good) },
  }),
  step('on-lost-response: retry, and answers to triggers of several pipelines are lost once', {
    inputs: { pipeline: TEN.split('\n').slice(0, 2).join('\n'), 'on-lost-response': 'retry' },
    scripts: {
      trigger: (nth, good) =>
        nth % 2 === 1 ? FAULTS['HTTP 504'](good) : answers(200, JSON.stringify(JOB.replace('1', String(nth)))),
    },
  }),
  step('a trigger is answered with the id of another run', {
    inputs: { pipeline: TEN.split('\n').slice(0, 2).join('\n') },
  }),
  step('the key is exchanged in vain for a run that exists', {
    inputs: { pipeline: '', 'job-id': JOB },
    scripts: { exchange: () => answers(401, { message: 'key revoked' }) },
  }),
  step('that nobody waits for the run cannot be written down', {
    inputs: { wait: 'false' },
    full: ALL_FILES,
    fullAtMs: 5,
    scripts: { trigger: (_nth, good) => answers(200, good).map((each) => ({ ms: 10, ...each })) },
  }),
  step('the run is lost, and that it is left cannot be written down', {
    inputs: { 'max-outage': '1m' },
    full: ALL_FILES,
    fullAtMs: 5_000,
    statuses: RUNNING,
    scripts: { read: (nth, good) => (nth > 1 ? FAULTS['HTTP 503'](good) : undefined) },
  }),
  step('the key is revoked while the run is awaited', {
    statuses: RUNNING,
    scripts: {
      read: (nth) => (nth > 1 ? answers(401, '') : undefined),
      exchange: (nth) => (nth > 1 ? answers(401, { message: 'key revoked' }) : undefined),
    },
  }),
  step('a run that exists is awaited, and out of reach', {
    inputs: { pipeline: '', 'job-id': JOB },
    statuses: RUNNING,
    scripts: { read: (nth, good) => (nth > 1 ? FAULTS['HTTP 503'](good) : undefined) },
  }),
  step('the token has expired when the run is to be cancelled, and no new one comes', {
    interruptAtMs: 40_000,
    statuses: RUNNING,
    scripts: { exchange: (nth) => (nth === 1 ? answers(200, bootstrap({ ttl_seconds: 35 })) : stalls()) },
  }),
  step('a dry run', { inputs: { 'dry-run': 'true' } }),
  step('nothing can be written down', { full: ALL_FILES }),
  step('nothing can be written down any more', {
    full: ALL_FILES,
    fullAtMs: 5,
    scripts: { list: (_nth, good) => answers(200, good).map((each) => ({ ms: 10, ...each })) },
  }),
  step('the outputs cannot be written', { full: [STEP_FILES.output] }),
  step('the summary cannot be written', { full: [STEP_FILES.summary] }),
  step('GITHUB_OUTPUT is a directory', { kinds: { [STEP_FILES.output]: 'directory' } }),
  step('GITHUB_OUTPUT is a device, and an input is wrong', {
    inputs: { timeout: '45' },
    kinds: { [STEP_FILES.output]: 'character_device' },
  }),
  step('the state cannot be written to a FIFO', { env: { RUNNER_TEMP: '' }, kinds: { [STEP_FILES.state]: 'fifo' } }),
  step('the summary is a FIFO', { kinds: { [STEP_FILES.summary]: 'fifo' } }),
  step('the action fails by itself while it reads', {
    scripts: {
      read: () => {
        throw new TypeError('x is not a function');
      },
    },
  }),
  step('the action fails by itself while a run is awaited', { statuses: RUNNING, crashAtMs: 40_000 }),
  step('the action fails by itself before anything was triggered', { scripts: { exchange: stalls }, crashAtMs: 5 }),
];
