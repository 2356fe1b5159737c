import type { Violation } from './checker/check.ts';
import { PLAIN_PIPELINE, plainSingle } from './model/plain.ts';
import { alone, type PipelineSpec, type ScenarioSpec, type SingleSpec } from './model/spec.ts';

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

/** The runner has lost the state, and the journal was never written: post finds nothing. */
function leavesPostNothing({ executions }: ScenarioSpec): boolean {
  // A crash of a job takes the state of its other steps as well.
  const isLost = executions.some(({ crashes }) => crashes.some(({ kind }) => kind.endsWith('_lost')));
  const hasNoJournal = executions.some(
    ({ disk, runner }) =>
      runner.noTemp || disk.some(({ file, from }) => (file === 'journal' || file === 'all') && from === 1),
  );
  return isLost && hasNoJournal;
}

/** The runner stops reading what main prints, and main goes on. */
const UNREAD: readonly string[] = ['beside', 'beside_lost', 'beside_frozen', 'background'];

export const EXPECTED_FAILURES: readonly ExpectedFailure[] = [
  {
    bug: 'what main printed to nobody counts as read if main ended by itself before post began',
    invariant: 'runs in progress are named',
    matches: ({ executions }) =>
      executions.some(({ crashes }) =>
        crashes.some(({ on, kind }) => on === 'main' && UNREAD.includes(kind)),
      ),
    replay: several({
      pipelines: endless(1),
      faults: [{ ...SLOW_TRIGGER, what: 'reset', commit: 'late', ms: 12_000 }],
      crashes: [{ on: 'main', at: { fault: 0, plus: 0, when: 'after' }, kind: 'beside' }],
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
];
