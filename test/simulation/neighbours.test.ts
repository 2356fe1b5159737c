import { expect, it } from 'vitest';
import { PLAIN_PIPELINE, PLAIN_PLACEMENT, plainSingle } from './model/plain.ts';
import { alone, type PipelineSpec, type ScenarioSpec, type SingleSpec } from './model/spec.ts';
import { examine } from './scenarios/examine.ts';

/*
 * Steps beside each other on one machine: what a post step without state, or main processes with equal ids, once did to
 * the run of a neighbour.
 */

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
const COMPOSITE = { ...PLAIN_PLACEMENT, begins: 'sequential', action: '__composite' } as const;
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
const BESIDE_A_DRY_RUN = several(
  { pipelines: endless(1), crashes: [{ on: 'main', at: { ms: 22_000 }, kind: 'beside_lost' }] },
  { mode: 'dry_run', placement: NEXT_STEP, pipelines: endless(2) },
);

/** Post begins while main waits for the list, and ends long before the answer to the trigger could come. */
const LATE_TRIGGER = [
  { ...SLOW_TRIGGER, call: 'list' },
  { ...SLOW_TRIGGER, ms: 30_000 },
] as const;

/** Main that goes on, while post sees of it what `sight` says. */
function unseen(sight: SingleSpec['runner']['sight']): ScenarioSpec {
  const { runner } = plainSingle();
  return several({
    pipelines: endless(1),
    runner: { ...runner, sight },
    faults: LATE_TRIGGER,
    crashes: [{ on: 'main', at: { ms: 200 }, kind: 'beside' }],
  });
}

const SCENARIOS: readonly { readonly bug: string; readonly replay: ScenarioSpec }[] = [
  {
    bug: 'what main printed to nobody counts as read if main ended by itself before post began',
    replay: several({
      pipelines: endless(1),
      faults: [{ ...SLOW_TRIGGER, what: 'reset', commit: 'late', ms: 12_000 }],
      crashes: [{ on: 'main', at: { fault: 0, plus: 0, when: 'after' }, kind: 'beside' }],
    }),
  },
  {
    bug: 'a main that is not recorded triggers after its post step has ended',
    replay: several({
      pipelines: endless(1),
      disk: [{ file: 'journal', from: 1, to: 1, part: 0 }],
      faults: LATE_TRIGGER,
      crashes: [{ on: 'main', at: { ms: 200 }, kind: 'beside_lost' }],
    }),
  },
  {
    bug: 'a post step that finds an empty journal does not say that a run may exist',
    replay: several({
      pipelines: endless(1),
      disk: [{ file: 'journal', from: 1, to: 9, part: 0 }],
      faults: [SLOW_TRIGGER],
      crashes: [{ on: 'main', at: { ms: 300 }, kind: 'kill_lost' }],
    }),
  },
  { bug: 'a main in another PID namespace triggers after its post step', replay: unseen('nothing') },
  { bug: 'a main that a hidden /proc hides triggers after its post step', replay: unseen('existence') },
  { bug: 'a main of another user triggers after its post step', replay: unseen('no_signals') },
  {
    bug: 'a post step without state takes over the runs of a neighbour after its own main rejected an input',
    replay: several({ mode: 'bad_input' }, { placement: CONTAINER, pipelines: endless(2), crashes: [PATIENCE] }),
  },
  {
    bug: 'a post step without state cancels the run of a live neighbour',
    replay: several(
      { crashes: [{ on: 'main', at: { ms: 20_000 }, kind: 'kill_lost' }], pipelines: endless(1) },
      { placement: CONTAINER, pipelines: endless(2), inputs: { wait: 'false' } },
    ),
  },
  {
    bug: 'a post step without state reports the runs of a neighbour, in the eyes of both checks for silence',
    replay: BESIDE_A_DRY_RUN,
  },
  { bug: 'a post step without state reports the runs of a neighbour after a success', replay: BESIDE_A_DRY_RUN },
  {
    bug: 'a post step without state exchanges the key once per journal',
    replay: several(
      { pipelines: endless(1), crashes: [{ on: 'main', at: { ms: 30_000 }, kind: 'kill_lost' }] },
      { placement: { ...NEXT_STEP, begins: 'concurrent' }, pipelines: endless(2) },
    ),
  },
  {
    bug: 'main processes with equal process ids share a journal, and the last word of one silences the post step of the other',
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
    replay: several(
      { placement: { ...CONTAINER, job: 1 }, mode: 'attach', pipelines: [{ ...PLAIN_PIPELINE, earlierMs: 120_000 }] },
      {
        placement: CONTAINER,
        pipelines: endless(2),
        faults: [SLOW_TRIGGER],
        crashes: [{ on: 'main', at: { ms: 200 }, kind: 'beside_frozen' }],
      },
    ),
  },
  {
    bug: 'a post step that finds only the journal of a sibling lets its own main, whose first write blocks, trigger a run',
    replay: several(
      // Its post step comes last, and gives the other main 20 s more.
      { mode: 'bad_input', runner: { ...plainSingle().runner, postAfterMs: 20_000 } },
      {
        placement: COMPOSITE,
        pipelines: endless(2),
        crashes: [{ on: 'main', at: { ms: 85_000 }, kind: 'beside_lost' }],
      },
      { placement: COMPOSITE, pipelines: endless(3), stalls: [{ file: 'journal', from: 1, to: 1, ms: 6_000 }] },
    ),
  },
  {
    bug: 'a message that nobody could read counts as reported',
    replay: several({
      pipelines: endless(1),
      inputs: { 'on-cancel': 'leave' },
      faults: [SLOW_TRIGGER],
      crashes: [{ on: 'main', at: { ms: 200 }, kind: 'beside_lost' }],
    }),
  },
];

it.each(SCENARIOS)('it does not happen that $bug', async ({ replay }) => {
  const { violations } = await examine(replay);
  expect(violations).toEqual([]);
});
