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

/** A main step of this action, as its records describe it. */
export interface RecoveredStep {
  readonly main: MainRecord;
  /** Why post may only name its runs; undefined if it may settle them. */
  readonly obstacle: Problem | undefined;
  /** What main left for post; undefined if it did not end by itself. */
  readonly left: ClosedRecord['left'] | undefined;
  /** The log shows what main reported of its runs at its end. */
  readonly isReported: boolean;
  readonly runs: readonly RunState[];
  /** The records that this version cannot read. */
  readonly foreign: readonly ForeignRecord[];
  /** The number of post's last record. */
  readonly lastOfPost: number;
  /** Reads everything again, because main may have gone on writing. */
  again(): RecoveredStep;
}

/** What recovery needs from outside. */
interface RecoveryParts extends MarkParts {
  readonly processes: Pick<Processes, 'stateOf'>;
}

/** What a post step finds. `isRecorded`: main left any record. `marks`: where to mark main processes. */
interface Recovery {
  readonly steps: readonly RecoveredStep[];
  readonly isRecorded: boolean;
  readonly marks: readonly string[];
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
 * Finds what main left: in the state that the runner kept, and in main's own state file and its journal, which may both
 * contain more. If the runner kept no state, or a forged one, the journals of this step count.
 */
function find(parts: RecoveryParts): Recovery {
  const { env, files } = parts;
  const kept = recordsInEnv(env);
  const main = mainOf(kept);
  if (main === undefined) return findInJournals(kept, parts);
  // The key may be a newer one, if it goes to the address that the workflow names.
  const given = checkAddress(inputOf(env, 'base-url'));
  const obstacle = given.ok && given.url.href === main.baseUrl ? undefined : wrongSeal(env, main);
  const others = obstacle === undefined ? undefined : findInJournals(kept, parts);
  if (others !== undefined && others.steps.length > 0) return others;
  const step = recoverFrom({ files, found: kept, main, obstacle, isKept: true });
  return { steps: [step], isRecorded: true, marks: marksFor(step) };
}

/** Finds what main left in journals. `kept`: the records in the state, which do not say where main is. */
function findInJournals(kept: NumberedRecords, parts: RecoveryParts): Recovery {
  const { env, host, files, processes } = parts;
  // If a journal is empty, the disk refused what main wrote.
  const journals = readJournals(parts).filter(({ records }) => records.main.size > 0);
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
    // A run that its step did not wait for may be that of an earlier job, and must not be cancelled with this one.
    const isDetached = closedOf(found)?.left === 'detached';
    const isTaken = isSame || (!isDetached && (isOurs || processes.stateOf(main.pid, main.startedAt) === 'dead'));
    const neighbour = 'it may belong to another step, whose main process may still be running';
    const obstacle = wrongSeal(env, main) ?? (isTaken ? undefined : cannotCancel(neighbour));
    return [recoverFrom({ files, found, main, obstacle, isKept: false })];
  });
  const named = new Set(steps.flatMap(({ runs }) => runs.map(identityOf)));
  // Main's own record is missing, for example because a disk refused it. Then post does not know the service.
  const obstacle = cannotCancel('the records of the step do not contain the address of the service');
  const headless = [kept, ...journals.map(({ records }) => records)].flatMap((found) => {
    if (found.main.size === 0 || mainOf(found) !== undefined) return [];
    const step = recoverFrom({ files, found, main: UNKNOWN_MAIN, obstacle, isKept: false });
    return [{ ...step, runs: step.runs.filter((run) => !named.has(identityOf(run))) }];
  });
  // A main that has ended may be that of another use of this action in the same composite action.
  const asked = askedIn(env);
  const isRecorded =
    kept.main.size > 0 || ofMains.some(({ found, main }) => closedOf(found) === undefined || main.asked === asked);
  // This step's own main may not have begun its journal yet.
  const marks = [...steps.flatMap(marksFor), markPath(env)].filter((path) => path !== '');
  return { steps: [...steps, ...headless], isRecorded, marks };
}

/** Where to mark a main process that may still be alive, unless it may belong to another step. */
function marksFor({ left, obstacle, main }: RecoveredStep): string[] {
  return left === undefined && obstacle === undefined ? marksOf(main) : [];
}

/** How many steps of the job left something for post, whether it has been settled since or not; at least 1. */
export function countUnsettled(place: Place): number {
  const jobStatus = inputOf(place.env, 'internal-job-status');
  const open = readJournals(place, 'job').filter(
    ({ records }) => mainOf(records) !== undefined && !isSettled(records, jobStatus),
  );
  return Math.max(1, open.length);
}

/** Checks what any step of the job could have written. Without a usable key there is nothing to protect. */
function wrongSeal(env: Environment, { seal, baseUrl, journal }: MainRecord): Problem | undefined {
  const key = inputOf(env, 'api-key');
  if (mistakeInKey(key) !== undefined || seal === sealOf(key, baseUrl, journal)) return undefined;
  return cannotCancel('the records of its step were sealed with another API key');
}

/** Why post does not cancel a run. */
export function cannotCancel(cause: string, remedy?: string): Problem {
  return { attempted: 'cancel the run', cause, remedy };
}

/** The same for a run in all places where it was recorded. */
function identityOf({ jobId, pipeline, intentWall }: RunState): string {
  return jobId ?? `${pipeline?.id ?? ''} ${intentWall ?? ''}`;
}

/** `found`: the records around main's own one. `isKept`: the runner kept them. */
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
    // The runner reads the log before the state: if it did not read this record, the log may not be complete.
    isReported: isKept && closedOf(found)?.isPrinted === true,
    runs: replay(inOrder(records), main.given),
    foreign: foreignIn(records),
    lastOfPost: lastNumber(records.post),
    again: () => recoverFrom(from),
  };
}

/** The runs after these records, in the order of the input. `given`: the ids in main's own record. */
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
      // Post uses the pipeline's recorded name, because the records do not contain what the input said.
      const before = runs.get(number) ?? newRun(number, { kind: 'pipeline', pipeline: '' });
      runs.set(number, reduce(before, entry));
    }
  }
  const known = [...runs.values()].map((run): RunState => {
    const { jobId, pipeline } = run;
    // A run of an unknown pipeline is named by its id.
    return jobId === undefined || pipeline !== undefined ? run : { ...run, target: { kind: 'job', jobId } };
  });
  return known.sort((a, b) => a.number - b.number);
}

/** What post does about a run. */
type Chore = 'settle' | 'report' | 'none';

/**
 * The run after the stops that post finds, and what to do about it. The records decide, not the status of the job,
 * because a step can be cancelled in a job that is not. What the log shows already is not repeated. `now`: by the
 * monotonic clock, in milliseconds.
 */
export function choreFor(
  run: RunState,
  { main, left, isReported }: Pick<RecoveredStep, 'main' | 'left' | 'isReported'>,
  jobStatus: string,
  now: number,
): { readonly run: RunState; readonly chore: Chore } {
  const before = run.phase.at;
  if (!isReported && (before === 'left' || before === 'lost')) return { run, chore: 'report' };
  // The record has no time, because the clock of another process means nothing here.
  let state = run.stop === undefined ? run : { ...run, stop: { ...run.stop, at: now } };
  // A run that main closed may be open here, because a disk refused its last record. Then on-cancel decides.
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
