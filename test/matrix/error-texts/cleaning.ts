// What people see of the steps that clean up: post and cancel/.
import { stateKey, type WrittenRecord } from '../../../src/action/state/records.ts';
import { rowOf, type ServiceScript } from '../../support/fake-service.ts';
import { memoryFiles } from '../../support/memory-files.ts';
import { fact, intent, JOURNAL, mainRecord, OPEN, postEnv, stopped, wrote } from '../../support/post.ts';
import { JOB } from '../../support/service.ts';
import { playStep, type StepOptions } from '../../support/step.ts';
import { type Scene, textOf } from './scene.ts';

const PROBLEM = { attempted: 'cancel the run', cause: 'HTTP 503' };
const AWAY: ServiceScript = { cancel: () => ({ kind: 'maybe_processed', problem: PROBLEM }) };

interface Setting {
  readonly records?: readonly WrittenRecord[];
  readonly env?: Readonly<Record<string, string>>;
  readonly script?: ServiceScript;
  readonly main?: StepOptions['main'];
  /** Main processes of steps that may be this one left these journals. */
  readonly journals?: readonly string[];
  /** Its own record was lost. */
  readonly withoutMain?: boolean;
  /** More records, by another version of the action. */
  readonly newer?: readonly string[];
}

/** What a post step says: its annotations, and the lines that it prints. */
function post(when: string, setting: Setting): Scene {
  const { records = OPEN, env = {}, script = {}, main, withoutMain, journals = [], newer = [] } = setting;
  return {
    when: `post: ${when}`,
    async play() {
      const given = {
        ...postEnv(records, env),
        ...(withoutMain === true && { [`STATE_${stateKey('main', 1)}`]: undefined }),
        ...Object.fromEntries(newer.map((text, index) => [`STATE_${stateKey('main', 90 + index)}`, text])),
      };
      const files = memoryFiles();
      for (const journal of journals) wrote(files, [mainRecord({ journal }), ...OPEN.slice(1)], [journal]);
      const step = await playStep({
        entry: 'post',
        env: given,
        files,
        service: script,
        ...(main !== undefined && { main }),
      });
      return [...step.annotations.map(textOf), ...step.lines.map((line) => `[log]\n${line}`)];
    },
  };
}

/** What cancel/ says. */
function cancelling(when: string, options: StepOptions): Scene {
  return {
    when: `cancel/: ${when}`,
    async play() {
      const inputs = { 'job-id': JOB, ...options.inputs };
      const { annotations } = await playStep({ entry: 'cancel', service: {}, ...options, inputs });
      return annotations.map(textOf);
    },
  };
}

/** What people see of the steps that clean up. */
export const CLEANING_SCENES: readonly Scene[] = [
  post('the run is cancelled', {}),
  post('the run ends before it could be cancelled', {
    script: { cancel: () => ({ kind: 'unchanged' }), read: () => rowOf(JOB, 'failed') },
  }),
  post('the run is left', { records: [mainRecord({ onCancel: 'leave' }), ...OPEN.slice(1)] }),
  post('the service is away', { script: AWAY }),
  post('the API key is empty', { env: { 'INPUT_API-KEY': '' } }),
  post('https_proxy is http://user:secret@proxy:99999', { env: { https_proxy: 'http://user:secret@proxy:99999' } }),
  post('the address in the state is none', { records: [mainRecord({ baseUrl: 'app' }), ...OPEN.slice(1)] }),
  post('the id was not written down', {
    records: [mainRecord(), intent(), { run: 1, attempt: 1, fact: { kind: 'detached' } }],
    env: { 'INPUT_INTERNAL-JOB-STATUS': 'cancelled' },
  }),
  post('main had left the run, and was killed before it could say so', {
    records: [...OPEN, stopped({ kind: 'timeout', afterMs: 1_000 }, 'leave')],
  }),
  post('what main had written of itself is missing', { records: OPEN, withoutMain: true }),
  post('another version of the action wrote the records', {
    records: [mainRecord()],
    newer: [`{"v":2,"kind":"queued","run":1,"jobId":"${JOB}"}`],
  }),
  post('another version of the action wrote records without an id', {
    records: [mainRecord()],
    newer: ['{"v":2,"kind":"paused"}', '{"v":2,"kind":"paused"}'],
  }),
  post('main has left no record', { records: [], env: { INPUT_PIPELINE: 'orders' } }),
  post('the journal was sealed with another key', {
    records: [],
    journals: [JOURNAL],
    env: { 'INPUT_API-KEY': 'ak_another' },
  }),
  post('the run may be that of another step', {
    records: [],
    journals: [JOURNAL, JOURNAL.replace('.journal', '-2.journal')],
    main: () => Infinity,
  }),
  post('more runs need attention than there is room for', {
    records: [mainRecord(), ...Array.from({ length: 10 }, (_, index) => intent(index + 1))],
  }),
  post('the answer to the trigger never came', { records: [mainRecord(), intent()] }),
  post('an earlier trigger was not confirmed', {
    records: [mainRecord(), intent(), fact({ kind: 'unknown' }), ...OPEN.slice(1)],
  }),
  post('the main process is still running', { records: [mainRecord()], main: () => 1_000 }),
  post('the main process does not end', { records: [mainRecord()], main: () => Infinity }),
  post('nobody knows whether the main process has ended', { records: [mainRecord()], main: 'unknown' }),
  cancelling('nothing to cancel', { inputs: { 'job-id': '' } }),
  cancelling('mistakes', { inputs: { 'api-key': '', 'job-id': 'last' } }),
  cancelling('the service is away', { service: AWAY }),
  cancelling('the outputs cannot be written', { full: ['/files/output'] }),
  cancelling('it fails by itself', { crashAtMs: 0 }),
];
