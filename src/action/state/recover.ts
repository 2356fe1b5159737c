import type { Clock } from '../../base/clock.ts';
import type { Uuid } from '../../base/uuid.ts';
import type { OnStop } from '../../run/plan.ts';
import { newRun, type RunState, reduce } from '../../run/state/run-state.ts';
import type { Problem } from '../../service/api.ts';
import { mistakeInKey } from '../inputs/connection-inputs.ts';
import { type Environment, inputOf } from '../inputs/input-table.ts';
import { readFile } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';
import type { Processes } from '../runner/processes.ts';
import { isSettled, mayCancelDetached } from './all-settled.ts';
import { isSameJob, markPath, ownerOf, readJobJournals, readJournals } from './journals.ts';
import { mark, marksOf } from './mark.ts';
import {
  closedOf,
  type ForeignRecord,
  foreignIn,
  inOrder,
  lastNumber,
  type MainRecord,
  mainOf,
  merged,
  type NumberedRecords,
  recordsInEnv,
  recordsInText,
  type StateRecord,
} from './records.ts';
import { askedIn, sealOf } from './seal.ts';

/** A main step of this action as its records describe it. */
export interface RecoveredStep {
  readonly main: Pick<
    MainRecord,
    'pid' | 'startedAt' | 'baseUrl' | 'onCancel' | 'pollIntervalMs' | 'jobStatus' | 'journal' | 'stateFile' | 'summary'
  >;
  /** Why post may only name its runs; undefined if it may settle them. */
  readonly obstacle: Problem | undefined;
  /** What main left for post; undefined if it did not end by itself. */
  readonly left: 'nothing' | 'detached' | 'runs' | undefined;
  /** People could read what main said of its runs at its end. */
  readonly isReported: boolean;
  readonly runs: readonly RunState[];
  /** What this version cannot read. */
  readonly foreign: readonly ForeignRecord[];
  /** The number of post's last record. */
  readonly lastOfPost: number;
  /** Reads everything again: main may have gone on writing. */
  again(): RecoveredStep;
}

/** What recovery needs from outside. */
export interface RecoveryParts {
  readonly env: Environment;
  readonly host: string;
  readonly files: Files;
  readonly processes: Pick<Processes, 'stateOf'>;
  readonly clock: Pick<Clock, 'wall'>;
}

/** What a post step finds. `isRecorded`: main left any record at all. */
export interface Recovery {
  readonly steps: readonly RecoveredStep[];
  readonly isRecorded: boolean;
}

/** Marks the main processes of this step that may still be alive, and then finds what they left. */
export function recover(parts: RecoveryParts): Recovery {
  const marked = new Set<string>();
  for (;;) {
    const found = find(parts);
    const fresh = found.marks.filter((path) => !marked.has(path));
    // A main that was marked before this search sends nothing that it did not find.
    if (fresh.length === 0) return found;
    mark(fresh, parts);
    for (const path of fresh) marked.add(path);
  }
}

/**
 * Finds what main left: in the state that the runner kept, in main's own state file and in its journal, which may both
 * know more. If the runner kept no state, the journals of this step count. `marks`: where to mark main processes.
 */
function find(parts: RecoveryParts): Recovery & { readonly marks: readonly string[] } {
  const { env, host, files, processes } = parts;
  const kept = recordsInEnv(env);
  const main = mainOf(kept);
  if (main !== undefined) {
    const step = recoverFrom({ files, found: kept, main, isKept: true });
    return { steps: [step], isRecorded: true, marks: marksFor([step]) };
  }
  const owner = ownerOf(env, host);
  const jobStatus = inputOf(env, 'internal-job-status');
  // An empty journal counts as none: the disk refused what main wrote.
  const journals = readJournals(env, host, files).filter(({ records }) => records.main.size > 0);
  const ofMains = journals.flatMap(({ path, records }) => {
    const found = mainOf(records);
    return found === undefined ? [] : [{ found: records, main: { ...found, journal: path } }];
  });
  const steps = ofMains.flatMap(({ found, main }) => {
    const isSame = isSameJob(owner, main.owner);
    const isOurs = isSame || ofMains.length === 1;
    if (!isOurs && isSettled(found, jobStatus)) return [];
    // A run that nobody waits for may be that of an earlier job, which nobody wants to cancel with this one.
    const isDetached = closedOf(found)?.left === 'detached';
    const isTaken = isSame || (!isDetached && (isOurs || processes.stateOf(main.pid, main.startedAt) === 'dead'));
    const obstacle = wrongSeal(env, main) ?? (isTaken ? undefined : AMBIGUOUS);
    return [recoverFrom({ files, found, main, obstacle, isKept: false })];
  });
  const named = new Set(steps.flatMap(({ runs }) => runs.map(identityOf)));
  const headless = [kept, ...journals.map(({ records }) => records)].filter(
    (records) => records.main.size > 0 && mainOf(records) === undefined,
  );
  // A main that has ended may be that of another use of this action in the same composite action.
  const asked = askedIn(env);
  const isRecorded =
    kept.main.size > 0 || ofMains.some(({ found, main }) => closedOf(found) === undefined || main.asked === asked);
  const ofStep = headless.length > 0 || !isRecorded ? markPath(env) : undefined;
  return {
    steps: [...steps, ...headless.map((records) => recoverHeadless(records, named))],
    isRecorded,
    marks: [...marksFor(steps), ...(ofStep === undefined ? [] : [ofStep])],
  };
}

/** Where to mark the main processes that may still be alive, except those that may belong to another step. */
function marksFor(steps: readonly RecoveredStep[]): string[] {
  return steps.flatMap(({ left, obstacle, main }) =>
    left === undefined && obstacle === undefined ? marksOf(main) : [],
  );
}

/**
 * How many steps of the job had something left for post when main was over, whether it has been settled since or not; at
 * least 1.
 */
export function countUnsettled({ env, host, files }: Pick<RecoveryParts, 'env' | 'host' | 'files'>): number {
  const jobStatus = inputOf(env, 'internal-job-status');
  const open = readJobJournals(env, host, files).filter(
    ({ records }) => mainOf(records) !== undefined && !isSettled(records, jobStatus),
  );
  return Math.max(1, open.length);
}

/** The state comes from the runner, but any step of the job could write a journal. A key that is none is never sent. */
function wrongSeal(env: Environment, { seal, baseUrl, journal }: MainRecord): Problem | undefined {
  const key = inputOf(env, 'api-key');
  if (mistakeInKey(key) !== undefined || seal === sealOf(key, baseUrl, journal)) return undefined;
  return { attempted: 'cancel the run', cause: 'its journal was sealed with another API key' };
}

const AMBIGUOUS: Problem = {
  attempted: 'cancel the run',
  cause: 'it may be that of another step, whose main process may still be running',
};

const NO_ADDRESS: Problem = {
  attempted: 'cancel the run',
  cause: 'the address of the service is missing from what the step wrote down',
};

/**
 * Runs of a main step whose own record is missing, for example because a disk refused it: their service is unknown, so
 * they can only be named. Not those that were recovered elsewhere.
 */
function recoverHeadless(records: NumberedRecords, named: ReadonlySet<string>): RecoveredStep {
  const main = {
    pid: 0,
    startedAt: '',
    baseUrl: '',
    onCancel: 'cancel',
    pollIntervalMs: 0,
    jobStatus: '',
    journal: '',
    stateFile: '',
    summary: true,
  } as const;
  const runs = replay(inOrder(records)).filter((run) => !named.has(identityOf(run)));
  return {
    main,
    obstacle: NO_ADDRESS,
    left: undefined,
    isReported: false,
    runs,
    foreign: foreignIn(records),
    lastOfPost: 0,
    again: () => recoverHeadless(records, named),
  };
}

/** Identifies a run in all places where it was recorded. */
function identityOf({ jobId, pipeline, intentWall }: RunState): string {
  return jobId ?? `${pipeline?.id ?? ''} ${intentWall ?? ''}`;
}

/** `found`: where main's own record was; in the state that the runner kept, if `isKept`. */
interface Found {
  readonly files: Files;
  readonly found: NumberedRecords;
  readonly main: MainRecord;
  readonly obstacle?: Problem | undefined;
  readonly isKept: boolean;
}

function recoverFrom(from: Found): RecoveredStep {
  const { files, found, main, obstacle, isKept } = from;
  const texts = [main.stateFile, main.journal].filter((path) => path !== '').map((path) => readFile(files, path) ?? '');
  // A runner may have handed the file to another step before.
  const own = texts.map(recordsInText).filter((one) => (mainOf(one)?.seal ?? main.seal) === main.seal);
  const records = merged(...own, found);
  return {
    main,
    obstacle,
    left: closedOf(records)?.left,
    // The runner reads the state last, so nobody has read what main printed before a later end.
    isReported: isKept && closedOf(found)?.isPrinted === true,
    runs: replay(inOrder(records), main.given),
    foreign: foreignIn(records),
    lastOfPost: lastNumber(records.post),
    again: () => recoverFrom(from),
  };
}

/** The runs after these records, in the order of the input. `given`: ids of runs that main was given. */
export function replay(records: readonly StateRecord[], given: Readonly<Record<string, Uuid>> = {}): RunState[] {
  const runs = new Map<number, RunState>();
  for (const [number, jobId] of Object.entries(given)) {
    const run = newRun(Number(number), UNKNOWN_TARGET);
    runs.set(run.number, reduce(run, { run: run.number, attempt: 1, fact: { kind: 'claimed', jobId } }));
  }
  for (const entry of records) {
    if (!('fact' in entry)) continue;
    const { run: number } = entry;
    if (number === undefined) {
      for (const [each, run] of runs) runs.set(each, reduce(run, { ...entry, attempt: run.attempt }));
      continue;
    }
    runs.set(number, reduce(runs.get(number) ?? newRun(number, UNKNOWN_TARGET), entry));
  }
  return [...runs.values()].map(withTarget).sort((a, b) => a.number - b.number);
}

/** A run of an unknown pipeline is named by its id. */
function withTarget(run: RunState): RunState {
  const { jobId, pipeline } = run;
  return jobId === undefined || pipeline !== undefined ? run : { ...run, target: { kind: 'job', jobId } };
}

/** The records do not contain what the input said. */
const UNKNOWN_TARGET = { kind: 'pipeline', pipeline: '' } as const;

/** What post does about a run. */
export type Chore = 'settle' | 'report' | 'none';

/**
 * The run after the stops that post finds, and what to do about it. Decided by the records, not by the status of the
 * job: a step can be cancelled in a job that is not. What main reported, and somebody could read, is not repeated. `now`: by
 * the monotonic clock, in milliseconds.
 */
export function choreFor(
  run: RunState,
  { main, left, isReported }: Pick<RecoveredStep, 'main' | 'left' | 'isReported'>,
  jobStatus: string,
  now: number,
): { readonly run: RunState; readonly chore: Chore } {
  const before = run.phase.at;
  if (!isReported && (before === 'left' || before === 'lost')) return { run, chore: 'report' };
  // The clock of another process means nothing here.
  let state = run.stop === undefined ? run : { ...run, stop: { ...run.stop, at: now } };
  // A run that main closed may be open here because a disk refused its last record. Then it is cancelled if on-cancel says so.
  if (!isReported || left === 'runs' || main.onCancel === 'cancel') {
    state = stoppedBy(state, 'main_killed', main.onCancel, now);
  }
  if (mayCancelDetached(main, jobStatus)) state = stoppedBy(state, 'job_cancelled', 'cancel', now);
  return { run: state, chore: choreIn(state, isReported) };
}

function stoppedBy(run: RunState, kind: 'main_killed' | 'job_cancelled', policy: OnStop, at: number): RunState {
  const fact = { kind: 'stopped', stop: { reason: { kind }, policy, at } } as const;
  return reduce(run, { run: run.number, attempt: run.attempt, fact });
}

function choreIn({ phase, stop }: RunState, isReported: boolean): Chore {
  switch (phase.at) {
    case 'triggering':
      return 'report';
    case 'unknown':
    case 'detached':
      return isReported ? 'none' : 'report';
    case 'in_progress':
      return stop === undefined ? 'none' : 'settle';
    case 'left':
      return stop?.reason.kind === 'main_killed' ? 'report' : 'none';
    default:
      return 'none';
  }
}
