import { createHash } from 'node:crypto';
import { summaryOf } from '../../src/action/report/summary/job-summary.ts';
import { asUuid, type Uuid } from '../../src/base/uuid.ts';
import { newRun, type RunState } from '../../src/run/state/run-state.ts';
import { isTerminal } from '../../src/service/statuses.ts';
import { type Inputs, settings } from '../support/action.ts';

/** When all scenes begin, on the wall. */
export const BEGUN = Date.UTC(2026, 0, 5, 9, 0, 0);

/** A run as a test tells of it: seconds since the step began, and the status from then on; the last is its end. */
export interface Told {
  readonly name: string;
  readonly triggered: number;
  readonly statuses: readonly (readonly [at: number, status: string])[];
  readonly said?: string;
}

/** A run that was triggered by then and went the usual way, in seconds. */
export function told(
  name: string,
  triggered: number,
  queued: number,
  running: number,
  end = 'completed',
  said?: string,
): Told {
  const [picked, runs] = [triggered + queued, triggered + queued + Math.min(3, running / 10)];
  const statuses = [
    [triggered, 'queued'],
    [picked, 'picked'],
    [runs, 'running'],
    [picked + running, end],
  ] as const;
  return { name, triggered, statuses, ...(said === undefined ? {} : { said }) };
}

/** The stretches of time that such a run is to show, in seconds. */
export function stretches({ triggered, statuses }: Told): readonly (readonly [from: number, to: number])[] {
  const [end] = statuses.at(-1) ?? [0];
  const hasWaited = triggered > 0 && triggered >= end / 100;
  const starts = [...(hasWaited ? [0] : []), ...statuses.map(([at]) => at)];
  return starts.slice(0, -1).map((from, index) => [from, starts[index + 1] ?? from] as const);
}

/** The summary of a step with these runs, as it is written when the last of them has ended. */
export function summaryFor(runs: readonly Told[], inputs: Inputs = {}): string {
  const states = runs.map(stateOf);
  const { plan, runUrl } = settings({ ...inputs, pipeline: runs.map((_, index) => `pipeline ${index}`).join('\n') });
  const now = Math.max(...states.map(({ endedAt }) => endedAt ?? 0));
  return summaryOf({ runs: states, plan, problems: [], runUrl, at: { now, wall: BEGUN + now } });
}

function stateOf({ name, triggered, statuses, said }: Told, index: number): RunState {
  const last = statuses.at(-1);
  if (last === undefined || !isTerminal(last[1])) throw new Error(`${name} has no end.`);
  return Object.assign(newRun(index + 1, { kind: 'pipeline', pipeline: name }), {
    pipeline: { id: idOf(index, 'pipeline'), name },
    jobId: idOf(index, 'run'),
    status: last[1],
    statusMessage: said ?? null,
    history: statuses.map(([at, status]) => ({ status, at: at * 1_000 })),
    phase: { at: 'finished', status: last[1] },
    startedAt: triggered * 1_000,
    endedAt: last[0] * 1_000,
  } satisfies Partial<RunState>);
}

/** Looks like any id, and is always the same. */
export function idOf(index: number, kind: 'pipeline' | 'run'): Uuid {
  const digits = createHash('sha256').update(`${kind}${index}`).digest('hex');
  const id = asUuid(digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5'));
  if (id === undefined) throw new Error('That is no UUID.');
  return id;
}
