import { stateKey, type WrittenRecord } from '../../../src/action/state/records.ts';
import { prepareCancel } from '../../../src/action/steps/cancel-step.ts';
import type { Service } from '../../../src/service/api.ts';
import { keptToolkit } from '../../support/action.ts';
import { interruptible } from '../../support/interruption.ts';
import { memoryFiles } from '../../support/memory-files.ts';
import { fact, intent, JOURNAL, mainRecord, OPEN, postBench, postEnv, stopped, wrote } from '../../support/post.ts';
import { rowOf, type ServiceScript, scriptedService } from '../../support/scripted-service.ts';
import { API_KEY, JOB } from '../../support/service.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { type Scene, textOf } from './scene.ts';

const PROBLEM = { attempted: 'cancel the run', cause: 'HTTP 503' };
const AWAY: ServiceScript = { cancel: () => ({ kind: 'maybe_processed', problem: PROBLEM }) };

interface Setting {
  readonly records?: readonly WrittenRecord[];
  readonly env?: Readonly<Record<string, string>>;
  readonly script?: ServiceScript;
  readonly obeys?: () => number | 'never';
  /** The system does not tell whether main is alive. */
  readonly isUnknown?: boolean;
  /** Main processes of steps that may be this one left these journals. */
  readonly journals?: readonly string[];
  /** Its own record was lost. */
  readonly withoutMain?: boolean;
  /** More records, by another version of the action. */
  readonly newer?: readonly string[];
}

/** What a post step says: its annotations, and the lines that it prints. */
function post(when: string, setting: Setting): Scene {
  const {
    records = OPEN,
    env = {},
    script = {},
    obeys,
    isUnknown = false,
    withoutMain,
    journals = [],
    newer = [],
  } = setting;
  return {
    when: `post: ${when}`,
    async play() {
      const { [`STATE_${stateKey('main', 1)}`]: main, ...others } = postEnv(records, env);
      const given = {
        ...others,
        ...(withoutMain !== true && { [`STATE_${stateKey('main', 1)}`]: main }),
        ...Object.fromEntries(newer.map((text, index) => [`STATE_${stateKey('main', 90 + index)}`, text])),
      };
      const files = memoryFiles();
      for (const journal of journals) wrote(files, [mainRecord({ journal }), ...OPEN.slice(1)], [journal]);
      const bench = postBench(given, { files, script, isUnknown, ...(obeys && { obeys }) });
      await bench.run();
      return [...bench.toolkit.annotations.map(textOf), ...bench.printed.map((line) => `[log]\n${line}`)];
    },
  };
}

interface CancelSetting {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly script?: ServiceScript;
  readonly full?: readonly string[];
  readonly crashes?: boolean;
}

/** What cancel/ says. */
function cancelling(when: string, { inputs = {}, script = {}, full = [], crashes }: CancelSetting): Scene {
  return {
    when: `cancel/: ${when}`,
    async play() {
      const clock = new VirtualClock();
      const toolkit = keptToolkit();
      const files = memoryFiles();
      for (const path of full) files.refuse(path);
      const given = { 'api-key': API_KEY, 'base-url': 'https://app.example.test', 'job-id': JOB, ...inputs };
      const env = Object.fromEntries(
        Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
      );
      const { service }: { readonly service: Service } = scriptedService(clock, script);
      const step = prepareCancel({
        env: { ...env, GITHUB_OUTPUT: '/files/output' },
        clock,
        random: () => 0.5,
        files,
        toolkit,
        print: () => undefined,
        interruption: interruptible().interruption,
        openService: () => service,
      });
      if (crashes === true) step.crash('TypeError: x is not a function');
      else await clock.until(step.run());
      return toolkit.annotations.map(textOf);
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
    obeys: () => 'never',
  }),
  post('more runs need attention than there is room for', {
    records: [mainRecord(), ...Array.from({ length: 10 }, (_, index) => intent(index + 1))],
  }),
  post('the answer to the trigger never came', { records: [mainRecord(), intent()] }),
  post('an earlier trigger was not confirmed', {
    records: [mainRecord(), intent(), fact({ kind: 'unknown' }), ...OPEN.slice(1)],
  }),
  post('the main process is still running', { records: [mainRecord()], obeys: () => 1_000 }),
  post('the main process does not end', { records: [mainRecord()], obeys: () => 'never' }),
  post('nobody knows whether the main process has ended', { records: [mainRecord()], isUnknown: true }),
  cancelling('nothing to cancel', { inputs: { 'job-id': '' } }),
  cancelling('mistakes', { inputs: { 'api-key': '', 'job-id': 'last' } }),
  cancelling('the service is away', { script: AWAY }),
  cancelling('the outputs cannot be written', { full: ['/files/output'] }),
  cancelling('it fails by itself', { crashes: true }),
];
