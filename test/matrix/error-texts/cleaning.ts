// Scenes that show the messages of the post step and of cancel/.
import { stateKey, type WrittenRecord } from '../../../src/action/state/records.ts';
import { rowOf, type ServiceScript } from '../../support/fake-service.ts';
import { type MemoryFiles, memoryFiles } from '../../support/memory-files.ts';
import { fact, intent, JOURNAL, journals, mainRecord, OPEN, PID, postEnv, SUMMARY_FILE } from '../../support/post.ts';
import { JOB, PIPELINE } from '../../support/service.ts';
import { playStep, STEP_FILES, type StepOptions } from '../../support/step.ts';
import { lineOf, type Scene, textOf } from './scene.ts';

const PROBLEM = { attempted: 'cancel the run', cause: 'HTTP 503' };
const SECOND = JOURNAL.replace('.journal', '-2.journal');
const AWAY: ServiceScript = { cancel: () => ({ kind: 'maybe_processed', problem: PROBLEM }) };

interface PostSetting extends Pick<StepOptions, 'env' | 'main' | 'service'> {
  /** The records of main, starting with the record about main itself. */
  readonly records?: readonly WrittenRecord[];
  /** Files with journals left by main processes that may belong to this step. */
  readonly files?: MemoryFiles;
  /** Whether the record about main itself is lost. */
  readonly withoutMain?: boolean;
  /** Whether another version of the action wrote the records. */
  readonly newer?: readonly string[];
  readonly showsSummary?: boolean;
}

async function playPost(setting: PostSetting): Promise<readonly string[]> {
  const { records = OPEN, env, files = memoryFiles(), newer = [], withoutMain, showsSummary, ...options } = setting;
  const given = {
    ...postEnv(records, env),
    ...(withoutMain === true && { [`STATE_${stateKey('main', 1)}`]: undefined }),
    ...Object.fromEntries(newer.map((text, index) => [`STATE_${stateKey('main', 90 + index)}`, text])),
  };
  const { annotations, lines } = await playStep({ entry: 'post', env: given, files, ...options });
  const summary = showsSummary === true ? files.text(SUMMARY_FILE).trim().split(/\n+/) : [];
  return [...annotations.map(textOf), ...[...lines, ...summary].map(lineOf)];
}

/** Shows the annotations of post steps, followed by their logs and summaries. */
function post(when: string, ...settings: readonly PostSetting[]): Scene {
  return { when: `post: ${when}`, play: async () => (await Promise.all(settings.map(playPost))).flat() };
}

/** Shows the annotations of steps that use the cancel/ action. */
function cancelling(when: string, ...settings: readonly StepOptions[]): Scene {
  const play = async (options: StepOptions): Promise<readonly string[]> => {
    const inputs = { 'job-id': JOB, ...options.inputs };
    return (await playStep({ entry: 'cancel', service: {}, ...options, inputs })).annotations.map(textOf);
  };
  return { when: `cancel/: ${when}`, play: async () => (await Promise.all(settings.map(play))).flat() };
}

export const CLEANING_SCENES: readonly Scene[] = [
  post(
    'the run is in progress',
    {},
    { service: { cancel: () => ({ kind: 'unchanged' }), read: () => rowOf(JOB, 'failed') } },
    { records: [mainRecord({ onCancel: 'leave' }), ...OPEN.slice(1)] },
    { records: [mainRecord({ onCancel: 'leave', given: { 1: JOB } })] },
    { records: [mainRecord(), fact({ kind: 'claimed', jobId: JOB }), fact({ kind: 'detached' })] },
  ),
  post(
    'the run cannot be cancelled',
    { service: AWAY },
    { env: { 'INPUT_API-KEY': '' } },
    { env: { https_proxy: 'http://user:secret@proxy:99999' } },
    { records: [mainRecord({ baseUrl: 'app' }), ...OPEN.slice(1)] },
    { withoutMain: true },
    {
      records: [mainRecord(), intent(), { run: 1, attempt: 1, fact: { kind: 'detached' } }],
      env: { 'INPUT_INTERNAL-JOB-STATUS': 'cancelled' },
    },
    { records: [], files: journals({ pid: PID }), env: { 'INPUT_API-KEY': 'ak_another' } },
    { records: [], files: journals({ pid: PID }, { pid: PID, path: SECOND }), main: () => Infinity },
  ),
  post(
    'records are missing or belong to another version of the action',
    ...['orders', '', 'a\nb\nc\nd\ne', 'a\nb\nc\nd\ne\nf'].map((p) => ({ records: [], env: { INPUT_PIPELINE: p } })),
    { records: [], env: { 'INPUT_JOB-ID': `${JOB}\n${PIPELINE}` } },
    { records: [mainRecord()], newer: [JOB, PIPELINE].map((id) => `{"v":2,"kind":"queued","run":1,"jobId":"${id}"}`) },
    { records: [mainRecord()], newer: ['{"v":2,"kind":"paused"}', '{"v":2,"kind":"paused"}'] },
  ),
  post(
    'the response to a trigger was lost',
    { records: [mainRecord(), intent()] },
    { records: [mainRecord(), { run: 1, attempt: 1, fact: { kind: 'unknown' } }] },
    { records: [mainRecord(), intent(), fact({ kind: 'unknown' }), ...OPEN.slice(1)] },
    { records: [mainRecord(), ...Array.from({ length: 700 }, (_, index) => intent(index + 1))], showsSummary: true },
  ),
  post(
    'the main process may still be running',
    { records: [mainRecord()], main: () => 1_000 },
    { records: [mainRecord()], main: () => Infinity },
    { records: [mainRecord()], main: 'unknown' },
  ),
  cancelling(
    'inputs are missing or invalid',
    { inputs: { 'job-id': '' } },
    { inputs: { 'api-key': '', 'job-id': 'last' } },
    { kinds: { [STEP_FILES.output]: 'directory' } },
  ),
  cancelling(
    'the cancellation fails',
    { service: AWAY },
    { full: [STEP_FILES.output] },
    { service: AWAY, crashAtMs: 0 },
  ),
];
