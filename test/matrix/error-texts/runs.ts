// Scenes that show how the step responds to final statuses, timeouts, interruptions and failures.
import { FILE_KINDS } from '../../../src/action/runner/files.ts';
import { fileRemedy, PartialWrite } from '../../../src/base/file-errors.ts';
import { meeting, meets } from '../../support/meeting.ts';
import { memoryFiles } from '../../support/memory-files.ts';
import { answers, type Step } from '../../support/scripted-wire.ts';
import { bootstrap, JOB } from '../../support/service.ts';
import { type Script, STEP_FILES } from '../../support/step.ts';
import { lineOf, type Scene, steps } from './scene.ts';
import { ALL_FILES, RESET, RUN, reading, trigger, uuids } from './shared.ts';

const KINDS = Object.entries(FILE_KINDS).map(([kind, name]) => `${kind}: ${name}`);
const RUNNING = ['running'];
/** A service on this machine, which the step may poll at any interval. */
const LOCAL = { 'base-url': 'http://127.0.0.1:8080', timeout: '5s', 'poll-interval': '4s' };
const REVOKED = () => answers(401, { message: 'key revoked' });

/** Each trigger queues another run, whose first read returns a status. */
const attempts = (statusOf: (nth: number) => string): Record<'trigger' | 'read', Script> => {
  return { trigger, read: reading((_, nth) => statusOf(nth)) };
};

const late = (good: string): Step[] => answers(200, good).map((each) => ({ ms: 10, ...each }));

const throws = (error: Error) => (): never => {
  throw error;
};
const BRIEFLY_FULL = { full: [STEP_FILES.output], fullUntilMs: 1_500 };
const EIO = Object.assign(new Error('EIO'), { code: 'EIO' });
const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });

export const RUN_SCENES: readonly Scene[] = [
  steps(
    'the run finishes',
    ...['failed', 'timed_out', 'cancelled', 'completed_with_warning', 'skipped'].map((status) => ({
      statuses: [status],
    })),
    { inputs: { 'succeed-on': 'skipped' }, statuses: ['completed'] },
    // The status message is too long.
    {
      statuses: ['failed'],
      scripts: {
        read: (nth, good) => (nth === 1 ? answers(200, good.replace('null', `"${'x'.repeat(300_000)}"`)) : undefined),
      },
    },
  ),
  steps(
    'the step times out',
    { inputs: { timeout: '5m' }, statuses: RUNNING },
    { inputs: { timeout: '5m', 'on-timeout': 'leave' }, statuses: RUNNING },
    { inputs: { 'queue-timeout': '5m' }, statuses: ['queued'] },
    {
      inputs: { timeout: '45s' },
      statuses: ['running', 'running', 'running', 'completed'],
      scripts: { cancel: meets('no_rows') },
    },
    { inputs: { timeout: '5m' }, statuses: RUNNING, scripts: { cancel: meets('no_rows') } },
    { inputs: LOCAL, statuses: ['paused'], scripts: { cancel: meets('no_rows') } },
    { inputs: LOCAL, statuses: RUNNING, scripts: { cancel: meets('no_rows'), read: meets('no_rows', 3) } },
  ),
  steps(
    'the step is interrupted',
    { interruptAtMs: 40_000, statuses: RUNNING },
    { interruptAtMs: 40_000, statuses: RUNNING, inputs: { 'on-cancel': 'leave' } },
    // The token has expired, and the exchange does not return a new token.
    {
      interruptAtMs: 40_000,
      statuses: RUNNING,
      scripts: {
        exchange: (nth, good) => (nth === 1 ? answers(200, bootstrap({ ttl_seconds: 35 })) : meeting('refused')(good)),
      },
    },
    { interruptAtMs: 5, scripts: { exchange: meets('no_response') } },
    // The id arrives too late for a cancel.
    {
      interruptAtMs: 5,
      scripts: {
        trigger: (_nth, good) => [{ connected: true }, { status: 200 }, { ms: 9_240, text: good }, { end: 'complete' }],
      },
    },
    {
      statuses: RUNNING,
      watch: ({ clock, files }) => clock.after(40_000, () => files.write(`${STEP_FILES.state}.stop`, 'stop')),
    },
  ),
  steps(
    'several runs are not triggered',
    {
      inputs: { pipeline: uuids(2), 'fail-fast': 'true', 'max-parallel': '1' },
      scripts: { trigger: meets('http_400') },
    },
    { inputs: { pipeline: uuids(10) }, scripts: { trigger: meets('http_400') } },
  ),
  steps(
    'max-attempts is above 1',
    { inputs: { 'max-attempts': '3' }, scripts: attempts((nth) => (nth === 1 ? 'failed' : 'completed')) },
    { inputs: { 'max-attempts': '2' }, scripts: attempts(() => 'failed') },
    { inputs: { 'max-attempts': '3', 'retry-on': 'timed_out' }, statuses: ['failed'] },
    { inputs: { 'max-attempts': '3', timeout: '50s' }, statuses: ['failed'] },
    { inputs: { 'max-attempts': '3' }, statuses: ['failed'], scripts: { trigger: meets('json_null', 2) } },
    { inputs: { 'max-attempts': '3' }, statuses: ['failed'], interruptAtMs: 40_000 },
  ),
  steps(
    'a trigger is not confirmed',
    { scripts: { trigger: meets('http_502') } },
    { interruptAtMs: 5_000, scripts: { trigger: meets('no_response') } },
    { inputs: RESET, scripts: { trigger: meets('reset') } },
    { inputs: { 'max-attempts': '3' }, statuses: ['failed'], scripts: { trigger: meets('http_504', 2) } },
    { inputs: { 'on-lost-response': 'retry' }, scripts: { trigger: meets('http_504') } },
    // A run of the first attempt may be in progress.
    {
      inputs: { 'max-attempts': '3', 'on-lost-response': 'retry' },
      statuses: ['failed'],
      scripts: { trigger: meets('down_20s', 1, 1) },
    },
    { inputs: { 'on-lost-response': 'retry', pipeline: uuids(2) }, scripts: { trigger: meets('http_504') } },
    // Each response names the same run.
    { inputs: { pipeline: uuids(2) } },
  ),
  steps(
    'the API key is revoked before the first call',
    { inputs: RUN, scripts: { exchange: REVOKED } },
    { inputs: { 'job-id': JOB }, full: ALL_FILES, fullFor: /claimed|lost/, scripts: { exchange: REVOKED } },
  ),
  steps(
    'the step loses contact with the run',
    ...(['no_rows', 'http_504'] as const).map((fault) => {
      return { statuses: RUNNING, scripts: { read: meets(fault) } };
    }),
    { inputs: RUN, statuses: RUNNING, scripts: { read: meets('http_503', 2) } },
    { statuses: RUNNING, scripts: { read: meets('denied', 2), exchange: (nth) => (nth > 1 ? REVOKED() : undefined) } },
    {
      inputs: { 'max-outage': '1m' },
      full: ALL_FILES,
      fullAtMs: 5_000,
      statuses: RUNNING,
      scripts: { read: meets('http_503', 2) },
    },
    { statuses: RUNNING, crashAtMs: 40_000 },
    { scripts: { read: throws(new TypeError('x is not a function')) } },
  ),
  steps(
    'the state cannot be written',
    { full: ALL_FILES },
    { env: { RUNNER_TEMP: '' }, kinds: { [STEP_FILES.state]: 'fifo' } },
    // Fills the disk before and after the trigger.
    { full: ALL_FILES, fullAtMs: 5, scripts: { list: (_nth, good) => late(good) } },
    { inputs: { wait: 'false' }, full: ALL_FILES, fullAtMs: 5, scripts: { trigger: (_nth, good) => late(good) } },
  ),
  steps(
    'the outputs or the summary cannot be written',
    BRIEFLY_FULL,
    { ...BRIEFLY_FULL, fullWith: new PartialWrite('EIO: i/o error, write', { cause: EIO }) },
    { kinds: { [STEP_FILES.output]: 'directory' } },
    { files: { ...memoryFiles(), openToAppend: throws(denied) } },
    { full: [STEP_FILES.summary] },
    { kinds: { [STEP_FILES.summary]: 'stdout' } },
    // The file is too large to append to, or even too large to read.
    ...[1, 17].map((mib) => ({ files: memoryFiles({ [STEP_FILES.summary]: 'x'.repeat(mib * 1_048_576) }) })),
  ),
  {
    when: 'the kinds of files, and the remedy for each file system error',
    play: async () => [
      lineOf(KINDS.join(', ')),
      ...[
        ...['EACCES', 'EPERM', 'EDQUOT', 'EFBIG', 'EIO', 'EISDIR', 'ENXIO'],
        ...['ELOOP', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EROFS', 'EBUSY'],
      ].map((code) => `[${code}] ${fileRemedy(Object.assign(new Error(code), { code }))}`),
    ],
  },
  steps('the action has a bug', { scripts: { exchange: meets('no_response') }, crashAtMs: 5 }),
];
