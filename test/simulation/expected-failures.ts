import type { Violation } from './checker/check.ts';
import { PLAIN_PIPELINE, PLAIN_PLACEMENT, plainSingle } from './model/plain.ts';
import {
  alone,
  type ExecutionSpec,
  type PipelineSpec,
  type ScenarioSpec,
  type SingleSpec,
} from './model/spec.ts';

/*
 * The bugs that the simulation finds and that are not fixed yet. A random scenario is counted and does not fail if an
 * entry that it matches explains each of its violations. A test fails when a replay no longer violates its invariant:
 * the bug is fixed then, and its entry has to go.
 */

export interface ExpectedFailure {
  readonly bug: string;
  readonly invariant: string;
  /** A small scenario that shows the bug. */
  readonly replay: ScenarioSpec;
  /** Which scenarios may show it. */
  readonly matches: (scenario: ScenarioSpec) => boolean;
}

/** The violations of a scenario that no entry explains. */
export function unexpectedIn(scenario: ScenarioSpec, violations: readonly Violation[]): readonly Violation[] {
  return violations.filter(
    ({ invariant }) =>
      !EXPECTED_FAILURES.some((entry) => entry.invariant === invariant && entry.matches(scenario)),
  );
}

function several(...executions: readonly Partial<SingleSpec>[]): ScenarioSpec {
  const single = alone(plainSingle());
  return { ...single, executions: executions.flatMap((one) => alone(plainSingle(one)).executions) };
}

function endless(number: number): readonly PipelineSpec[] {
  const timeline = PLAIN_PIPELINE.timeline.slice(0, 3);
  return [{ ...PLAIN_PIPELINE, name: `Load ${number}`, apiName: `load_${number}`, timeline }];
}

const CONTAINER = { ...PLAIN_PLACEMENT, job: 2, container: true };
const NEXT_STEP = { ...PLAIN_PLACEMENT, begins: 'sequential', action: '__run-pipeline_2' } as const;
const SLOW_TRIGGER = {
  on: 'main',
  call: 'trigger',
  from: 1,
  to: 1,
  what: 'slow',
  commit: 'at_once',
  ms: 1_000,
  retryAfter: null,
} as const;
const PATIENCE = { on: 'main', at: { ms: 300_000 }, kind: 'cancel' } as const;

/** The runner has lost the state of an execution, or its main process never wrote one; others have journals. */
function hasStatelessPost({ executions }: ScenarioSpec): boolean {
  const isStateless = ({ mode, crashes, disk }: ExecutionSpec): boolean =>
    mode === 'bad_input' ||
    crashes.some(({ kind }) => kind.endsWith('_lost')) ||
    disk.some(({ file, from }) => file !== 'output' && file !== 'summary' && from === 1);
  const jobs = executions.map(({ placement }) => placement.job);
  const names = executions.map(({ placement }) => placement.jobName);
  const areRelated = new Set(jobs).size < jobs.length || new Set(names).size < names.length;
  // A crash of the whole job takes the state of its other steps as well.
  return executions.length > 1 && areRelated && executions.some(isStateless);
}

/** Processes with one number write to one journal. */
function sharesJournal({ executions }: ScenarioSpec): boolean {
  const [first] = executions;
  const isSame = ({ placement }: ExecutionSpec, index: number): boolean =>
    placement.jobName === first?.placement.jobName && (placement.container || index === 0);
  return executions.length > 1 && executions.filter(isSame).length > 1;
}

/** The runner has lost the state, and the journal was never written: post finds nothing. */
function leavesPostNothing({ executions }: ScenarioSpec): boolean {
  return executions.some(
    ({ crashes, disk, runner }) =>
      crashes.some(({ kind }) => kind.endsWith('_lost')) &&
      (runner.noTemp || disk.some(({ file, from }) => (file === 'journal' || file === 'all') && from === 1)),
  );
}

function crashesWith(kinds: readonly string[]): (scenario: ScenarioSpec) => boolean {
  return ({ executions }) =>
    executions.some(({ crashes }) => crashes.some(({ on, kind }) => on === 'main' && kinds.includes(kind)));
}

const BESIDE_A_DRY_RUN = several(
  { pipelines: endless(1), crashes: [{ on: 'main', at: { ms: 22_000 }, kind: 'beside_lost' }] },
  { mode: 'dry_run', placement: NEXT_STEP, pipelines: endless(2) },
);

const UNREAD = [
  'beside',
  'beside_lost',
  'beside_frozen',
  'background',
  'shutdown',
  'stdout',
  'worker_killed',
];

export const EXPECTED_FAILURES: readonly ExpectedFailure[] = [
  {
    bug: 'a post step without state takes over the runs of a neighbour after its own main rejected an input',
    invariant: 'refused',
    matches: hasStatelessPost,
    replay: several(
      { mode: 'bad_input' },
      { placement: CONTAINER, pipelines: endless(2), crashes: [PATIENCE] },
    ),
  },
  {
    bug: 'a post step without state cancels the run of a live neighbour',
    invariant: 'settled',
    matches: hasStatelessPost,
    replay: several(
      { crashes: [{ on: 'main', at: { ms: 20_000 }, kind: 'kill_lost' }], pipelines: endless(1) },
      { placement: CONTAINER, pipelines: endless(2), inputs: { wait: 'false' } },
    ),
  },
  {
    bug: 'a post step without state reports the runs of a neighbour, in the eyes of both checks for silence',
    invariant: 'silence',
    matches: hasStatelessPost,
    replay: BESIDE_A_DRY_RUN,
  },
  {
    bug: 'a post step without state reports the runs of a neighbour after a success',
    invariant: 'silent without work',
    matches: hasStatelessPost,
    replay: BESIDE_A_DRY_RUN,
  },
  {
    bug: 'a post step without state exchanges the key once per journal',
    invariant: 'pace',
    matches: hasStatelessPost,
    replay: several(
      { pipelines: endless(1), crashes: [{ on: 'main', at: { ms: 30_000 }, kind: 'kill_lost' }] },
      { placement: { ...NEXT_STEP, begins: 'concurrent' }, pipelines: endless(2) },
    ),
  },
  {
    bug: 'main processes with equal process ids share a journal, and the last word of one silences the post step of the other',
    invariant: 'settled',
    matches: sharesJournal,
    replay: several(
      { placement: { ...CONTAINER, job: 1 } },
      {
        placement: CONTAINER,
        pipelines: endless(2),
        crashes: [{ on: 'main', at: { ms: 120_000 }, kind: 'beside_frozen' }],
      },
    ),
  },
  {
    bug: 'main processes with equal process ids share a journal, and a run is not named',
    invariant: 'runs in progress are named',
    matches: sharesJournal,
    replay: several(
      {
        placement: { ...CONTAINER, job: 1 },
        mode: 'attach',
        pipelines: [{ ...PLAIN_PIPELINE, earlierMs: 120_000 }],
      },
      {
        placement: CONTAINER,
        pipelines: endless(2),
        faults: [SLOW_TRIGGER],
        crashes: [{ on: 'main', at: { ms: 200 }, kind: 'beside_frozen' }],
      },
    ),
  },
  {
    bug: 'a message that nobody could read counts as reported',
    invariant: 'runs in progress are named',
    matches: crashesWith(UNREAD),
    replay: several({
      pipelines: endless(1),
      inputs: { 'on-cancel': 'leave' },
      faults: [SLOW_TRIGGER],
      crashes: [{ on: 'main', at: { ms: 200 }, kind: 'beside_lost' }],
    }),
  },
  {
    bug: 'a post step that finds neither state nor journal says nothing of a main that goes on to trigger',
    invariant: 'settled',
    matches: leavesPostNothing,
    replay: several({
      pipelines: endless(1),
      disk: [{ file: 'journal', from: 1, to: 1, part: 0 }],
      faults: [
        { ...SLOW_TRIGGER, call: 'list' },
        { ...SLOW_TRIGGER, ms: 30_000 },
      ],
      crashes: [{ on: 'main', at: { ms: 200 }, kind: 'beside_lost' }],
    }),
  },
  {
    bug: 'a post step that finds neither state nor journal does not say that a run may exist',
    invariant: 'runs in progress are named',
    matches: leavesPostNothing,
    replay: several({
      pipelines: endless(1),
      disk: [{ file: 'journal', from: 1, to: 9, part: 0 }],
      faults: [SLOW_TRIGGER],
      crashes: [{ on: 'main', at: { ms: 300 }, kind: 'kill_lost' }],
    }),
  },
  {
    bug: 'main goes on unseen after its runner has died, until it prints the next line',
    invariant: 'everything ends',
    matches: crashesWith(['worker_killed']),
    replay: several({
      pipelines: endless(1),
      inputs: { 'poll-interval': '2m' },
      crashes: [{ on: 'main', at: { ms: 60_000 }, kind: 'worker_killed' }],
    }),
  },
];
