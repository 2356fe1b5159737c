import { checkAddress } from '../../base/address.ts';
import type { OnStop } from '../../run/plan.ts';
import { newRun, type RunState, reduce } from '../../run/state/run-state.ts';
import type { Problem } from '../../service/api.ts';
import { mistakeInKey } from '../inputs/connection-inputs.ts';
import { type Environment, inputOf } from '../inputs/input-table.ts';
import { readFile } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';
import type { Processes } from '../runner/processes.ts';
import { isSettled, mayCancelDetached } from './all-settled.ts';
import { isSameJob, markPath, ownerOf, type Place, readJournals } from './journals.ts';
import { type MarkParts, mark, marksOf } from './mark.ts';
import {
  type ClosedRecord,
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
  type StoredFact,
  UNKNOWN_MAIN,
} from './records.ts';
import { askedIn, sealOf } from './seal.ts';

/** The state of a main step of this action according to its records. */
export interface RecoveredStep {
  readonly main: MainRecord;
  /** The reason why post may only report the step's runs, or undefined if post may settle them. */
  readonly obstacle: Problem | undefined;
  /** The work that main left for post, or undefined if main did not end on its own. */
  readonly left: ClosedRecord['left'] | undefined;
  /** Whether the log shows main's final report of its runs. */
  readonly isReported: boolean;
  readonly runs: readonly RunState[];
  /** The records that this version cannot read. */
  readonly foreign: readonly ForeignRecord[];
  /** The number of post's last record. */
  readonly lastOfPost: number;
  /** Reads all records again, because main may have written more of them. */
  again(): RecoveredStep;
}

/** The external dependencies of recovery. */
interface RecoveryParts extends MarkParts {
  readonly processes: Pick<Processes, 'stateOf'>;
}

/** The findings of post. `isRecorded` says whether main left any record. `marks` are the paths for marking main. */
interface Recovery {
  readonly steps: readonly RecoveredStep[];
  readonly isRecorded: boolean;
  readonly marks: readonly string[];
}

/** Marks the main processes of this step that may still be alive, and then finds their records. */
export function recover(parts: RecoveryParts): Recovery {
  const marked = new Set<string>();
  for (;;) {
    const found = find(parts);
    const fresh = found.marks.filter((path) => !marked.has(path));
    // If every main process was marked before this search, none of them sends a trigger that the search missed.
    if (fresh.length === 0) return found;
    mark(fresh, parts);
    for (const path of fresh) marked.add(path);
  }
}

/**
 * Finds main's records in the state that the runner kept, and in main's state file and journal, which may both contain
 * more. If the runner kept no state, or if that state is forged, this function uses the journals of this step.
 */
function find(parts: RecoveryParts): Recovery {
  const { env, files } = parts;
  const kept = recordsInEnv(env);
  const main = mainOf(kept);
  if (main === undefined) return findInJournals(kept, parts);
  // Skip the seal check if base-url is the same address, because the key may have changed since main wrote the seal.
  const given = checkAddress(inputOf(env, 'base-url'));
  const obstacle = given.ok && given.url.href === main.baseUrl ? undefined : wrongSeal(env, main);
  const others = obstacle === undefined ? undefined : findInJournals(kept, parts);
  if (others !== undefined && others.steps.length > 0) return others;
  const step = recoverFrom({ files, found: kept, main, obstacle, isKept: true });
  return { steps: [step], isRecorded: true, marks: marksFor(step) };
}

/** Finds main's records in journals. `kept` contains the state's records, which may be forged or incomplete. */
function findInJournals(kept: NumberedRecords, parts: RecoveryParts): Recovery {
  const { env, host, files, processes } = parts;
  const journals = readJournals(parts);
  const owner = ownerOf(env, host);
  const jobStatus = inputOf(env, 'internal-job-status');
  const ofMains = journals.flatMap(({ path, records }) => {
    const found = mainOf(records);
    return found === undefined ? [] : [{ found: records, main: { ...found, journal: path } }];
  });
  const steps = ofMains.flatMap(({ found, main }) => {
    const isSame = isSameJob(owner, main.owner);
    const isOurs = isSame || ofMains.length === 1;
    if (!isOurs && isSettled(found, jobStatus)) return [];
    // A detached run may belong to an earlier job, and a cancellation of this job must not affect it.
    const isDetached = closedOf(found)?.left === 'detached';
    const isTaken = isSame || (!isDetached && (isOurs || processes.stateOf(main.pid, main.startedAt) === 'dead'));
    const neighbour = 'the run may belong to another step that is still running';
    const obstacle = wrongSeal(env, main) ?? (isTaken ? undefined : cannotCancel(neighbour));
    return [recoverFrom({ files, found, main, obstacle, isKept: false })];
  });
  const named = new Set(steps.flatMap(({ runs }) => runs.map(identityOf)));
  // Without main's own record, for example after a failed write, post does not know the service.
  const obstacle = cannotCancel("the step's records do not contain the service's address");
  const headless = [kept, ...journals.map(({ records }) => records)].flatMap((found) => {
    // An empty journal means that main could not write to the disk.
    if (found.main.size === 0 || mainOf(found) !== undefined) return [];
    const step = recoverFrom({ files, found, main: UNKNOWN_MAIN, obstacle, isKept: false });
    return [{ ...step, runs: step.runs.filter((run) => !named.has(identityOf(run))) }];
  });
  // A main process that has ended may belong to another use of this action in the same composite action.
  const asked = askedIn(env);
  const isRecorded =
    kept.main.size > 0 || ofMains.some(({ found, main }) => closedOf(found) === undefined || main.asked === asked);
  // The main process of this step may not have created its journal yet.
  const marks = [...steps.flatMap(marksFor), markPath(env)].filter((path) => path !== '');
  return { steps: [...steps, ...headless], isRecorded, marks };
}

/** Returns the mark paths of a main process that may still be alive, unless it may belong to another step. */
function marksFor({ left, obstacle, main }: RecoveredStep): string[] {
  return left === undefined && obstacle === undefined ? marksOf(main) : [];
}

/** Returns the number of steps of the job that left work for post, but at least 1. */
export function countUnsettled(place: Place): number {
  const jobStatus = inputOf(place.env, 'internal-job-status');
  const open = readJournals(place, 'job').filter(
    ({ records }) => mainOf(records) !== undefined && !isSettled(records, jobStatus),
  );
  return Math.max(1, open.length);
}

/** Checks the seal, as any step of the job could have written the record. Without a usable key, it is irrelevant. */
function wrongSeal(env: Environment, { seal, baseUrl, journal }: MainRecord): Problem | undefined {
  const key = inputOf(env, 'api-key');
  if (mistakeInKey(key) !== undefined || seal === sealOf(key, baseUrl, journal)) return undefined;
  return cannotCancel("the step's records were sealed with another API key");
}

/** Returns the problem to report when post does not cancel a run. */
export function cannotCancel(cause: string, remedy?: string): Problem {
  return { attempted: 'cancel the run', cause, remedy };
}

/** Returns an identity for a run that is the same in all of its records. */
function identityOf({ jobId, pipeline, intentWall }: RunState): string {
  return jobId ?? `${pipeline?.id ?? ''} ${intentWall ?? ''}`;
}

/** The arguments of `recoverFrom`. `isKept` says whether `found` comes from the state that the runner kept. */
interface Found {
  readonly files: Files;
  readonly found: NumberedRecords;
  readonly main: MainRecord;
  readonly obstacle?: Problem | undefined;
  readonly isKept: boolean;
}

function recoverFrom(from: Found): RecoveredStep {
  const { files, found, main, obstacle, isKept } = from;
  const inFiles = [main.stateFile, main.journal].map((path) => recordsInText(readFile(files, path) ?? ''));
  // The runner may have given the same state file to an earlier step.
  const own = inFiles.filter((one) => (mainOf(one)?.seal ?? main.seal) === main.seal);
  const records = merged(...own, found);
  return {
    main,
    obstacle,
    left: closedOf(records)?.left,
    // The runner reads the log before the state, so the log may be incomplete if the state lacks this record.
    isReported: isKept && closedOf(found)?.isPrinted === true,
    runs: replay(inOrder(records), main.given),
    foreign: foreignIn(records),
    lastOfPost: lastNumber(records.post),
    again: () => recoverFrom(from),
  };
}

/** Rebuilds the runs from these records, in the order of the input. `given` contains the ids in main's own record. */
function replay(records: readonly StateRecord[], given: MainRecord['given']): RunState[] {
  const claims = Object.entries(given).map(([run, jobId]): StoredFact => {
    return { run: Number(run), attempt: 1, fact: { kind: 'claimed', jobId } };
  });
  const runs = new Map<number, RunState>();
  for (const entry of [...claims, ...records]) {
    if (!('fact' in entry)) continue;
    const { run: number } = entry;
    if (number === undefined) {
      for (const [each, run] of runs) runs.set(each, reduce(run, { ...entry, attempt: run.attempt }));
    } else {
      // Post uses the pipeline's recorded name, because the records do not contain the text of the input.
      const before = runs.get(number) ?? newRun(number, { kind: 'pipeline', pipeline: '' });
      runs.set(number, reduce(before, entry));
    }
  }
  const known = [...runs.values()].map((run): RunState => {
    const { jobId, pipeline } = run;
    // If the pipeline is unknown, the run's id serves as its name.
    return jobId === undefined || pipeline !== undefined ? run : { ...run, target: { kind: 'job', jobId } };
  });
  return known.sort((a, b) => a.number - b.number);
}

/** The action that post takes for a run. */
type Chore = 'settle' | 'report' | 'none';

/**
 * Applies the stops that post finds to a run, and chooses what to do. Except for detached runs, the choice does not
 * depend on the job status, because a step can be cancelled when its job is not. Post does not repeat endings that
 * the log already shows. `now` is a monotonic time in milliseconds.
 */
export function choreFor(
  run: RunState,
  { main, left, isReported }: Pick<RecoveredStep, 'main' | 'left' | 'isReported'>,
  jobStatus: string,
  now: number,
): { readonly run: RunState; readonly chore: Chore } {
  const before = run.phase.at;
  if (!isReported && (before === 'left' || before === 'lost')) return { run, chore: 'report' };
  // The record has no time, because main's monotonic clock means nothing in this process.
  let state = run.stop === undefined ? run : { ...run, stop: { ...run.stop, at: now } };
  // A run that main closed may look open because the disk refused its last record. In that case, on-cancel decides.
  if (!isReported || left === 'runs' || main.onCancel === 'cancel') {
    state = stoppedBy(state, 'main_killed', main.onCancel, now);
  }
  if (mayCancelDetached(main, jobStatus)) state = stoppedBy(state, 'job_cancelled', 'cancel', now);
  return { run: state, chore: choreIn(state, isReported) };
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

function stoppedBy(run: RunState, kind: 'main_killed' | 'job_cancelled', policy: OnStop, at: number): RunState {
  const fact = { kind: 'stopped', stop: { reason: { kind }, policy, at } } as const;
  return reduce(run, { run: run.number, attempt: run.attempt, fact });
}
