// Every text that a step shows about its runs and inputs, in one file: `npx vitest run test/unit/report -u` updates it.
import { expect, it } from 'vitest';
import { sentencesOf } from '../../../src/report/ending.ts';
import { endingOf } from '../../../src/report/endings.ts';
import type { Plan } from '../../../src/run/plan.ts';
import type { RunState } from '../../../src/run/state.ts';
import { problemOf } from '../../../src/service/problem.ts';
import { playMain } from '../../support/steps.ts';
import {
  aReport,
  aRun,
  EXISTING,
  finished,
  JOB,
  manyRuns,
  NO_RUN,
  NOT_FOUND,
  PIPELINE,
  PLAN,
  PROBLEM,
  stopBy,
} from './scene.ts';

type Fields = Partial<RunState>;
type Inputs = Readonly<Record<string, string>>;
type Ended = readonly [name: string, fields: Fields, plan?: Partial<Plan>];

const LOST: Fields = { phase: { at: 'lost', problem: PROBLEM } };
const UNLISTED: Fields = { phase: { at: 'lost', problem: problemOf('list', 'HTTP 503 "away"') } };
const LEFT: Fields = { phase: { at: 'left' } };
const UNSETTLED: Fields = { phase: { at: 'unsettled', problem: problemOf('cancel', 'HTTP 503 "away"') } };
const RESUMED: Fields = { target: { pipeline: 'orders', jobId: '22111111-2222-4333-8444-555555555555' } };
const NO_CREDITS = problemOf('trigger', 'the account has no sync credits left', 'Add credits.');
const UNSAVED = {
  attempted: 'save the state needed to cancel a run',
  cause: 'ENOSPC',
  remedy: 'Free up disk space on the runner.',
};
const LOST_RESPONSE = problemOf('trigger', 'HTTP 502');
const REFUSED: Fields = { ...NO_RUN, phase: { at: 'not_queued', problem: NO_CREDITS } };
const UNKNOWN: Fields = { ...NO_RUN, phase: { at: 'unknown', problem: LOST_RESPONSE } };
const TRIGGERING: Fields = { ...NO_RUN, phase: { at: 'triggering' }, triggeredAt: Date.UTC(2026, 0, 5, 12) };
const NEW_STATUS: Fields = { status: 'succeeded', history: [{ status: 'succeeded', at: 0 }] };
const AGAIN: Fields = { attempt: 2, earlier: [aRun({ ...finished('failed'), message: 'disk full' })] };
const RETRIES: Partial<Plan> = { maxAttempts: 3 };
const IN_QUEUE: Fields = { history: [{ status: 'queued', at: 0 }] };
const BAD_KEY = { ...problemOf('cancel', 'HTTP 401', 'Check the key.'), isOfKey: true };
const LAST_READ = problemOf('read', 'HTTP 401', 'Check the key.');
/** A stale row says that the run is in the queue, although an agent has it. */
const STALE: Fields = { history: ['queued', 'picked', 'queued'].map((status, at) => ({ status, at })) };
/** An agent picked up the run after a queue timeout. */
const LATE: Fields = { history: [...aRun().history, { status: 'picked', at: 81_000 }], ...stopBy('queue_timeout') };
const AT_TIMEOUT = { why: 'timeout', policy: 'cancel', at: 80_000, detail: '45m' } as const;
const CANNOT_READ = problemOf('read', 'HTTP 404');
const CLAIMED: Fields = { phase: { at: 'in_progress' }, jobId: aRun().jobId, isGiven: true, startedAt: 0 };
const LINK = 'https://app.example.test/{pipeline-id}/{job-id}';
const DRY: Fields = { ...NO_RUN, phase: { at: 'dry_run' } };

const ENDINGS: readonly Ended[] = [
  ['completed', finished('completed')],
  ['completed with warnings', finished('completed_with_warning')],
  ['skipped', finished('skipped')],
  ['failed, with a message', { ...finished('failed'), message: 'Load failed: permission denied' }],
  [
    'failed, with a long message',
    { ...finished('failed'), message: `${'frame\n'.repeat(200)}DiskFull: no space left` },
  ],
  ['timed out in the service', finished('timed_out')],
  ['failed, with reset-target', finished('failed'), { resetTarget: true }],
  [
    'cancelled after a timeout, with reset-target',
    { ...finished('cancelled'), ...stopBy('timeout') },
    { resetTarget: true },
  ],
  [
    'cancelled after a signal, with reset-target',
    { ...finished('cancelled'), ...stopBy('interruption') },
    { resetTarget: true },
  ],
  [
    'cancelled in the queue, with reset-target',
    { ...finished('cancelled', 81_000), ...IN_QUEUE, ...stopBy('queue_timeout') },
    { resetTarget: true },
  ],
  [
    'cancelled long after a queue timeout, with reset-target',
    { ...finished('cancelled'), ...IN_QUEUE, ...stopBy('queue_timeout') },
    { resetTarget: true },
  ],
  [
    'failed soon after a queue timeout, with reset-target',
    { ...finished('failed', 81_000), ...IN_QUEUE, ...stopBy('queue_timeout') },
    { resetTarget: true },
  ],
  ['completed, with reset-target', finished('completed'), { resetTarget: true }],
  ['completed with warnings, with reset-target', finished('completed_with_warning'), { resetTarget: true }],
  ['skipped, with reset-target', finished('skipped'), { resetTarget: true }],
  ['cancelled in the application', finished('cancelled')],
  ['completed, but succeed-on is skipped', finished('completed'), { succeedOn: ['skipped'] }],
  ['existing run failed', { ...EXISTING, ...finished('failed') }],
  ['failed after an unknown status', { ...finished('failed'), ...NEW_STATUS, status: 'failed' }],
  ['attempt 2 of 3 completed', { ...AGAIN, ...finished('completed'), startedAt: 60_000 }, RETRIES],
  ['attempt 2 of 3 completed with warnings', { ...AGAIN, ...finished('completed_with_warning') }, RETRIES],
  ['attempt 2 of 3 was skipped', { ...AGAIN, ...finished('skipped') }, RETRIES],
  [
    'attempt 2 of 3 failed, which counts as success',
    { ...AGAIN, ...finished('failed') },
    { ...RETRIES, succeedOn: ['failed'] },
  ],
  ['attempt 3 of 3 failed', { ...AGAIN, ...finished('failed'), attempt: 3 }, RETRIES],
  ['attempt 3 of 3 was cancelled', { ...AGAIN, ...finished('cancelled'), attempt: 3 }, RETRIES],
  ['attempt 1 of 3 cancelled', finished('cancelled'), RETRIES],
  ['attempt 1 of 3 failed, and no time is left', finished('failed'), { ...RETRIES, timeoutMs: 2_700_000 }],
  ['attempt 1 of 3 failed, and a trigger was lost', { ...finished('failed'), mayHaveTwin: true }, RETRIES],
  ['failed, and a trigger was lost', { ...finished('failed'), mayHaveTwin: true }],
  ['attempt 2 of 3 was refused', { ...REFUSED, ...AGAIN }, RETRIES],
  ['attempt 2 of 3 was interrupted', { ...NO_RUN, ...AGAIN, ...stopBy('interruption') }, RETRIES],
  ['interrupted: cancelled', { ...finished('cancelled', 80_400), ...stopBy('interruption') }],
  ['interrupted: cancelled in the queue', { ...finished('cancelled', 82_000), history: [], ...stopBy('interruption') }],
  ['interrupted: completed first', { ...finished('completed'), ...stopBy('interruption') }],
  ['interrupted: not cancelled', { ...UNSETTLED, ...stopBy('interruption') }],
  ['interrupted: left running', { ...LEFT, ...stopBy('interruption', 'leave') }, { onCancel: 'leave' }],
  [
    'interrupted: left before the first status check of an existing run',
    { ...NOT_FOUND, ...LEFT, ...stopBy('interruption', 'leave') },
    { onCancel: 'leave' },
  ],
  ['interrupted: not triggered', { ...NO_RUN, ...stopBy('interruption') }],
  ['interrupted: waiting for its turn', { ...NO_RUN, phase: { at: 'waiting' }, ...stopBy('interruption') }],
  ['interrupted: trigger in flight', { ...TRIGGERING, ...stopBy('interruption') }],
  ['timeout: cancelled', { ...finished('cancelled', 82_000), ...stopBy('timeout') }],
  ['timeout: cancelled in the queue', { ...finished('cancelled', 82_000), ...IN_QUEUE, ...stopBy('timeout') }],
  [
    'timeout: cancelled in the queue, and a trigger was lost',
    { ...finished('cancelled', 82_000), ...IN_QUEUE, ...stopBy('timeout'), mayHaveTwin: true },
  ],
  ['timeout: not triggered', { ...NO_RUN, ...stopBy('timeout') }],
  [
    'timeout: cancelled after the id had arrived late',
    { ...finished('cancelled', 82_000), history: [{ status: 'queued', at: 81_000 }], ...stopBy('timeout') },
  ],
  ['timeout: left running', { ...LEFT, ...stopBy('timeout', 'leave') }, { onTimeout: 'leave' }],
  [
    'timeout: left after a failed status check',
    { ...LEFT, stop: { ...AT_TIMEOUT, policy: 'leave', problem: CANNOT_READ } },
    { onTimeout: 'leave' },
  ],
  ['timeout: left running, not saved', { ...LEFT, ...stopBy('timeout', 'leave'), isUnsaved: true }],
  ['timeout: not cancelled', { ...UNSETTLED, ...stopBy('timeout') }],
  ['timeout: unknown status, not cancelled', { ...UNSETTLED, ...NEW_STATUS, ...stopBy('timeout') }],
  [
    'timeout: left running, with inputs that need a pipeline',
    { ...LEFT, ...stopBy('timeout', 'leave') },
    { fullResync: true, wait: false },
  ],
  ['timeout: not cancelled, and the id was not saved', { ...UNSETTLED, ...stopBy('timeout'), isUnsaved: true }],
  ['timeout: left running because of wait: false', { ...LEFT, ...stopBy('timeout', 'leave') }, { wait: false }],
  ['timeout: unknown status, left running', { ...LEFT, ...NEW_STATUS, ...stopBy('timeout', 'leave') }],
  [
    'timeout: unknown status, cancelled',
    { ...finished('cancelled'), history: [{ status: 'Done!', at: 0 }], ...stopBy('timeout') },
  ],
  ['queue-timeout: cancelled', { ...finished('cancelled', 81_000), ...IN_QUEUE, ...stopBy('queue_timeout') }],
  ['timeout: cancelled after a stale status', { ...finished('cancelled', 82_000), ...STALE, ...stopBy('timeout') }],
  [
    'timeout: not cancelled, for the reason that the last status check gave',
    { phase: { at: 'unsettled', problem: BAD_KEY }, stop: { ...AT_TIMEOUT, problem: LAST_READ } },
  ],
  [
    'queue-timeout: cancelled in the queue again',
    { ...finished('cancelled', 81_000), ...STALE, ...stopBy('queue_timeout') },
  ],
  [
    'queue-timeout: cancelled in the queue, and an earlier trigger was lost',
    { ...finished('cancelled', 81_000), ...IN_QUEUE, ...stopBy('queue_timeout'), mayHaveTwin: true },
  ],
  ['queue-timeout: an agent picked up the run before the cancel', { ...finished('cancelled'), ...LATE }],
  ['queue-timeout: left in the queue', { ...LEFT, ...IN_QUEUE, status: 'queued', ...stopBy('queue_timeout', 'leave') }],
  ['fail-fast: cancelled', { ...finished('cancelled', 80_000), ...stopBy('fail_fast') }],
  ['fail-fast: not triggered', { ...NO_RUN, ...stopBy('fail_fast') }],
  ['no credits', REFUSED],
  [
    'no credits for a pipeline with an invisible name',
    { ...REFUSED, target: { pipeline: '\u200B' }, pipeline: undefined },
  ],
  ['intent not saved', { ...NO_RUN, phase: { at: 'not_queued', problem: UNSAVED } }],
  ['another pipeline has a problem', NO_RUN],
  ['trigger lost', UNKNOWN],
  [
    'trigger lost, with a remedy',
    { ...UNKNOWN, phase: { at: 'unknown', problem: { ...LOST_RESPONSE, remedy: 'Raise the header limit.' } } },
  ],
  ['trigger lost, with reset-target', UNKNOWN, { resetTarget: true }],
  ['trigger lost twice, with on-lost-response: retry', { ...UNKNOWN, mayHaveTwin: true }],
  ['trigger of attempt 2 of 3 lost', { ...UNKNOWN, ...AGAIN }, RETRIES],
  ['completed, but an earlier trigger was lost', { ...finished('completed'), mayHaveTwin: true }],
  ['lost', LOST],
  ['lost, with reset-target', LOST, { resetTarget: true }],
  ['lost, not saved', { ...LOST, isUnsaved: true }],
  ['lost with an unknown status', { ...LOST, history: [{ status: '" completed "', at: 0 }] }],
  ['existing run lost', { ...EXISTING, ...LOST }],
  ['resumed run never read, not saved', { ...EXISTING, ...RESUMED, ...LOST, isSeen: false, isUnsaved: true }],
  ['existing run never read', { ...EXISTING, ...LOST, isSeen: false }],
  ['resumed run never read', { ...EXISTING, ...RESUMED, ...LOST, isSeen: false }],
  ['resumed run never read, pipelines not listed', { ...EXISTING, ...RESUMED, ...UNLISTED, isSeen: false }],
  ['wait: false', { phase: { at: 'detached' } }],
  ['wait: false, with on-cancel: leave', { phase: { at: 'detached' } }, { onCancel: 'leave' }],
  ['wait: false, resumed run', { ...EXISTING, ...RESUMED, phase: { at: 'detached' } }],
  ['wait: false, with reset-target', { phase: { at: 'detached' } }, { resetTarget: true }],
  ['wait: false, not saved', { phase: { at: 'detached' }, isUnsaved: true }],
  ['dry run', DRY, { resetTarget: true }],
  ['dry run, existing run', { ...DRY, ...EXISTING, status: 'running' }],
  ['dry run, existing run with an unknown status', { ...DRY, ...EXISTING, ...NEW_STATUS }],
  [
    'dry run, existing run cannot be read',
    { ...NO_RUN, ...EXISTING, isGiven: false, phase: { at: 'not_queued', problem: CANNOT_READ } },
  ],
  ['dry run, run to resume', { ...DRY, ...RESUMED, status: 'running' }],
  [
    'dry run, run to resume has failed, with reset-target',
    { ...DRY, ...RESUMED, status: 'failed' },
    { resetTarget: true },
  ],
];

/** A run as the post step reads it from its line. */
const RESTORED: Fields = { status: undefined, isSeen: false, history: [], startedAt: undefined };

const POST_ENDINGS: readonly Ended[] = [
  ['cancelled', { ...finished('cancelled', 82_000), history: [], ...stopBy('main_gone') }],
  ['cancelled after the stop of main', { ...finished('cancelled', 82_000), ...stopBy('timeout') }],
  [
    'cancelled after a queue timeout, with reset-target',
    { ...finished('cancelled', 81_000), ...IN_QUEUE, ...stopBy('queue_timeout') },
    { resetTarget: true },
  ],
  ['cancelled with the job', { ...finished('cancelled', 82_000), history: [], ...stopBy('job_cancelled') }],
  ['not cancelled', { ...UNSETTLED, ...stopBy('main_gone') }],
  ['not cancelled, with reset-target', { ...UNSETTLED, ...stopBy('main_gone') }, { resetTarget: true }],
  ['left running', { ...LEFT, ...stopBy('main_gone', 'leave') }],
  ['left running, with reset-target', { ...LEFT, ...stopBy('main_gone', 'leave') }, { resetTarget: true }],
  ['unfinished after a stop', { ...RESTORED, ...stopBy('timeout') }],
  [
    'unfinished after a stop, and its record was cut off',
    { ...RESTORED, ...stopBy('main_gone'), target: {}, pipeline: undefined },
  ],
  ['wait: false, with reset-target', { ...RESTORED, phase: { at: 'detached' } }, { resetTarget: true }],
  ['resumed run with wait: false', { ...RESTORED, ...EXISTING, ...RESUMED, phase: { at: 'detached' } }],
  ['failed, and main reported nothing', { ...RESTORED, ...finished('failed'), endedAt: undefined }],
  ['further attempt not triggered', { ...NO_RUN, attempt: 2, ...stopBy('main_gone') }, { maxAttempts: 3 }],
  [
    'not cancelled after a timeout, whose saved reason has shortened advice',
    {
      phase: { at: 'unsettled', problem: { ...BAD_KEY, remedy: 'Check the key. Pass it on.' } },
      stop: { ...AT_TIMEOUT, problem: { ...LAST_READ, remedy: 'Check the key.' } },
    },
  ],
  ['trigger in flight when main ended', TRIGGERING],
  ['trigger in flight after a lost one', { ...TRIGGERING, mayHaveTwin: true }],
];

const WRONG_INPUTS = {
  'api-key': 'ak_',
  'base-url': 'ftp://app.example.test',
  pipeline: 'orders\norders',
  'job-id': 'the last one',
  wait: 'yes',
  'poll-interval': '1s',
  timeout: '0s',
  'queue-timeout': '45',
  'on-timeout': 'stop',
  'succeed-on': 'success',
  'max-attempts': '11',
  'retry-on': ',',
  'retry-delay': 'soon',
  'max-parallel': '0',
  'max-outage': '25d',
  'run-url': 'nowhere',
};
const CONTRADICTIONS = {
  pipeline: 'orders\ncustomers',
  'reset-target': 'true',
  'on-lost-response': 'retry',
  'max-attempts': '2',
  'retry-on': 'cancelled, completed, skipped',
};
const JOB_ID_ONLY = { pipeline: '', 'job-id': JOB, 'full-resync': 'true', 'reset-target': 'true', wait: 'false' };

type Played = Pick<ReturnType<typeof aReport>, 'fake' | 'runs'>;
const rejected = async (inputs: Inputs): Promise<Played> => ({ fake: await playMain({ inputs }), runs: [] });

const PLAYED: readonly (readonly [name: string, play: () => Promise<Played>])[] = [
  [
    'a run from the trigger to a failure',
    async () => {
      const played = aReport([aRun(NO_RUN)], {}, 'https://app.example.test/{job-id}');
      played.announce();
      played.change({ phase: { at: 'in_progress' }, jobId: aRun().jobId, status: 'queued', startedAt: 0 });
      await played.fake.clock.advance(2_000);
      played.change({ isSeen: true, status: 'running' });
      await played.fake.clock.advance(30_000);
      played.change({ status: 'resting' });
      const message = 'Load failed:\n  at frame 1\n::error::frame 2\nDiskFull: no space left';
      played.change({ ...finished('failed', 32_000), message });
      played.end();
      return played;
    },
  ],
  [
    'a timeout and an interruption',
    async () => {
      const states = [aRun(), aRun(EXISTING)];
      const plan = { timeoutMs: 2_700_000, queueTimeoutMs: 600_000, maxParallel: 2, failFast: true };
      const played = aReport(states, plan, 'https://app.example.test/{job-id}');
      played.announce('');
      played.change(stopBy('timeout'));
      played.change(finished('cancelled', 82_000));
      played.change({ ...LEFT, ...stopBy('interruption', 'leave') }, 1);
      played.end();
      return played;
    },
  ],
  [
    'a run that completes',
    async () => {
      const played = aReport([aRun(finished('completed'))]);
      played.end();
      return played;
    },
  ],
  [
    'an existing run, which is left running after the timeout',
    async () => {
      const plan: Partial<Plan> = { timeoutMs: 2_700_000, onTimeout: 'leave', onCancel: 'leave' };
      const played = aReport([aRun({ ...EXISTING, ...NO_RUN, phase: { at: 'waiting' } })], plan, LINK);
      played.change(CLAIMED);
      played.announce();
      played.change({ isSeen: true, status: 'running' });
      await played.fake.clock.advance(180_000);
      played.change({ message: 'Loading' });
      played.change({ ...LEFT, ...stopBy('timeout', 'leave') });
      played.end();
      return played;
    },
  ],
  [
    'a run to resume that has failed, and two attempts',
    async () => {
      const id = 'abcdef99-8888-4777-8666-555555555555';
      const waiting = { ...NO_RUN, phase: { at: 'waiting' } } as const;
      const target = { pipeline: id.toUpperCase(), jobId: aRun().jobId ?? '' };
      const pipeline = { id, name: '', apiName: '' };
      const played = aReport([aRun({ ...waiting, target, pipeline })], { ...RETRIES, maxParallel: 1 }, LINK);
      played.change(CLAIMED);
      played.announce();
      played.change({ isSeen: true, status: 'queued' });
      played.change({ isSeen: true, ...finished('failed') });
      played.change({ ...waiting, isGiven: false });
      const queued: Fields = { phase: { at: 'in_progress' }, jobId: aRun().jobId, status: 'queued', startedAt: 30_000 };
      played.change(queued);
      await played.fake.clock.advance(90_000);
      played.change({ isSeen: true, ...finished('failed') });
      const [first] = played.runs;
      played.change({ ...waiting, attempt: 2, earlier: first === undefined ? [] : [first.state] });
      played.change({ ...queued, startedAt: 90_000 });
      played.change({ isSeen: true, ...finished('completed', 95_000) });
      played.end();
      return played;
    },
  ],
  [
    'two runs with wait: false',
    async () => {
      const plan: Partial<Plan> = { wait: false, onCancel: 'leave' };
      const resumed = aRun({ ...EXISTING, ...RESUMED, phase: { at: 'detached' } });
      const played = aReport([resumed, aRun({ phase: { at: 'detached' } })], plan);
      played.announce();
      played.end();
      return played;
    },
  ],
  [
    'a rejected trigger beside a run with wait: false',
    async () => {
      const played = aReport([aRun({ phase: { at: 'detached' } }), aRun(REFUSED)], { wait: false });
      played.end();
      return played;
    },
  ],
  [
    'runs that end in every way',
    async () => {
      const ends = [{ ...NO_RUN, ...stopBy('fail_fast') }, REFUSED, UNKNOWN, LOST, LEFT, UNSETTLED, {}, TRIGGERING];
      const played = aReport([aRun(finished('completed')), ...manyRuns(ends.length, {})]);
      for (const [nth, fields] of ends.entries()) {
        played.change(fields, nth + 1);
        // The name of a pipeline may become known late.
        played.change({ pipeline: { id: PIPELINE, name: `Pipeline ${nth}`, apiName: '' } }, nth + 1);
      }
      played.end();
      return played;
    },
  ],
  [
    'a timeout whose last status checks end one by one',
    async () => {
      const played = aReport(manyRuns(3, {}));
      for (const nth of [0, 1, 2]) {
        played.change(stopBy('timeout'), nth);
        await played.fake.clock.advance(1_000);
        played.change(finished('cancelled', 82_000), nth);
      }
      played.end();
      return played;
    },
  ],
  [
    'fail-fast: a run that failed, one that was cancelled, one that completed first, and one that was refused',
    async () => {
      const ends = [{ ...finished('failed') }, finished('cancelled'), finished('completed'), REFUSED];
      const played = aReport(
        manyRuns(ends.length, {}).map((run, nth) => ({ ...run, target: { pipeline: `pipeline-${nth}` } })),
      );
      played.change(ends[0] ?? {}, 0);
      for (const nth of [1, 2]) played.change({ ...ends[nth], ...stopBy('fail_fast') }, nth);
      played.change(ends[3] ?? {}, 3);
      played.end();
      return played;
    },
  ],
  [
    'two runs lost at once',
    async () => {
      const played = aReport([aRun(LOST), aRun(LOST)]);
      played.end();
      return played;
    },
  ],
  [
    'nine existing runs that were not found, and one that was lost',
    async () => {
      const played = aReport([...manyRuns(9, NOT_FOUND), aRun({ ...EXISTING, ...LOST })]);
      played.end();
      return played;
    },
  ],
  [
    'two runs that failed, whose second attempt was refused',
    async () => {
      const played = aReport([aRun({ ...REFUSED, ...AGAIN }), aRun({ ...REFUSED, ...AGAIN })], RETRIES, LINK);
      played.end();
      return played;
    },
  ],
  [
    'a run that was refused, and one that completed',
    async () => {
      const played = aReport([aRun(REFUSED), aRun(finished('completed'))], {}, LINK);
      played.end();
      return played;
    },
  ],
  [
    'a dry run of two pipelines with reset-target',
    async () => {
      const played = aReport([aRun(DRY), aRun({ ...DRY, ...EXISTING, status: 'running' })], { dryRun: true });
      played.announce();
      played.end();
      return played;
    },
  ],
  [
    'a dry run of two existing runs that a signal ends after one check',
    async () => {
      const unread = { ...NO_RUN, ...EXISTING, isGiven: false, ...stopBy('interruption') };
      const played = aReport([aRun({ ...DRY, ...EXISTING, status: 'running' }), aRun(unread)], { dryRun: true });
      played.end();
      return played;
    },
  ],
  [
    'a dry run of two pipelines, one of which is unknown',
    async () => {
      const problem = {
        attempted: 'identify the pipeline "ordes"',
        cause: 'no pipeline has this name',
        remedy: 'Check it.',
      };
      const unknown = { ...NO_RUN, phase: { at: 'not_queued', problem } } as const;
      const played = aReport([aRun(NO_RUN), aRun(unknown)], { dryRun: true });
      played.end();
      return played;
    },
  ],
  [
    'twelve runs that are left, one that failed, and two with a possible twin',
    async () => {
      const left = manyRuns(12, { ...LEFT, ...stopBy('timeout', 'leave') });
      const played = aReport([
        ...left,
        aRun(finished('failed')),
        aRun({ ...finished('completed'), mayHaveTwin: true }),
        aRun({ ...finished('failed'), mayHaveTwin: true }),
      ]);
      played.end();
      return played;
    },
  ],
  [
    'a problem that prevents every trigger',
    async () => {
      const played = aReport([aRun(REFUSED), aRun(REFUSED)]);
      played.end();
      return played;
    },
  ],
  ['wrong inputs', () => rejected(WRONG_INPUTS)],
  ['inputs that contradict each other', () => rejected(CONTRADICTIONS)],
  ['inputs that contradict job-id without pipeline', () => rejected(JOB_ID_ONLY)],
];

function ended([name, fields, plan = {}]: Ended, isPost: boolean): string {
  const ending = endingOf(aRun(fields), { ...PLAN, ...plan }, isPost);
  return `${name}\n  [${ending.level}] ${sentencesOf(ending).join('\n    ')}\n`;
}

async function shown([name, play]: (typeof PLAYED)[number]): Promise<string> {
  const { fake, runs } = await play();
  // `results` repeats the other outputs as JSON.
  const shownOutputs = Object.entries(fake.outputs).filter(([output]) => output !== 'results');
  const outputs = shownOutputs.map(([output, value]) => `${output}=${value.split('\n')[0]}`);
  const annotations = fake.annotations.map(({ level, title, message }) => `[${level}: ${title}] ${message}`);
  const summary = fake.summary
    .replace(/```mermaid[\s\S]*```/, '(chart)')
    .split('\n')
    .filter((line) => line.trim() !== '');
  // The files of many runs are like those of two.
  const files = runs.length > 2 ? [] : [...outputs, ...summary];
  const lines = [...fake.log, ...annotations.map((text) => text.replaceAll('\n', ' ⏎ ')), ...files];
  return `${name}\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

it('the texts about runs and inputs match texts.txt', async () => {
  const sections = [
    `# The end of a run\n\n${ENDINGS.map((each) => ended(each, false)).join('')}`,
    `# The same in the post step\n\n${POST_ENDINGS.map((each) => ended(each, true)).join('')}`,
    `# Whole steps: log, annotations, outputs and summary\n\n${(await Promise.all(PLAYED.map(shown))).join('\n')}`,
  ];
  const texts = sections
    .join('\n')
    .replaceAll(PIPELINE, 'UUID')
    .replace(/1{8}-2222-4333-8444-\d*?([1-9]?\d)\b/g, 'JOB-$1');
  await expect(texts).toMatchFileSnapshot('texts.txt');
});

it('no text contains internal names', () => {
  const all = ENDINGS.map((each) => ended(each, false)).join('');
  expect(all).not.toMatch(/undefined|\[object|NaN|_queued|unsettled/);
});
