// Tests how the ledger treats a run after an internal error.
import { expect, it } from 'vitest';
import type { DurableFact, Stop } from '../../../../src/run/state/facts.ts';
import { Ledger, plannedRuns } from '../../../../src/run/state/ledger.ts';
import type { RunPhase, RunState } from '../../../../src/run/state/run-state.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const problem = { attempted: 'continue', cause: 'this action failed by itself' };
const INTERRUPTED = { reason: { kind: 'signal', by: 'SIGINT' }, policy: 'cancel', at: 0 } as const;
const TIMED_OUT = { reason: { kind: 'timeout', afterMs: 1 }, policy: 'cancel', at: 0 } as const;

/** Returns a run in this phase after an internal error, with the recorded facts. */
function abandoned(
  phase: RunPhase,
  stop?: Stop,
): { readonly run: RunState; readonly facts: readonly DurableFact['kind'][] } {
  const facts: DurableFact['kind'][] = [];
  const runs = plannedRuns({ targets: [{ kind: 'pipeline', pipeline: 'orders' }] });
  const write = ({ fact }: { readonly fact: DurableFact }): void => void facts.push(fact.kind);
  const ledger = new Ledger({ runs, clock: new VirtualClock(), write, observe: () => undefined });
  const [run] = runs;
  if (run === undefined) throw new Error('There is no run.');
  Object.assign(run, { phase });
  if (stop !== undefined) ledger.stop(stop);
  ledger.abandon(run, problem);
  return { run, facts };
}

it.each<[string, RunPhase['at'], Stop | undefined, RunPhase['at'], readonly string[]]>([
  ['makes a run unknown if its trigger may have been sent', 'triggering', undefined, 'unknown', []],
  ['prevents the trigger of a waiting run', 'waiting', undefined, 'not_queued', []],
  ['loses a run in progress', 'in_progress', undefined, 'lost', ['lost']],
  ['leaves the cancel of an interrupted run to post', 'in_progress', INTERRUPTED, 'unsettled', []],
  ['leaves the cancel after a timeout to post', 'in_progress', TIMED_OUT, 'unsettled', ['stopped']],
  ['does not change a run that is left running', 'in_progress', { ...TIMED_OUT, policy: 'leave' }, 'left', ['stopped']],
])('an internal error %s', (_what, at, stop, after, facts) => {
  const all = abandoned({ at } as RunPhase, stop);
  expect([all.run.phase.at, all.facts]).toEqual([after, facts]);
});

it.each<RunPhase>([
  { at: 'finished', status: 'completed' },
  { at: 'detached' },
  { at: 'left' },
  { at: 'unknown', problem },
  { at: 'unsettled', problem },
])('an internal error does not change a run in the phase "$at"', (phase) => {
  const { run, facts } = abandoned(phase, INTERRUPTED);
  expect([run.phase, facts]).toEqual([phase, []]);
});
