// Builds job summaries from runs that a test describes with times in seconds.
import { createHash } from 'node:crypto';
import { summaryOf } from '../../src/action/report/summary/job-summary.ts';
import { asUuid, type Uuid } from '../../src/base/uuid.ts';
import { newRun, type RunState } from '../../src/run/state/run-state.ts';
import { isTerminal } from '../../src/service/statuses.ts';
import { type Inputs, settings } from '../support/action.ts';

/** A run as a list of its statuses, each with its start in seconds since the step began. The last one is final. */
export interface Played {
  readonly name: string;
  readonly triggered: number;
  readonly statuses: readonly (readonly [at: number, status: string])[];
  readonly message?: string | undefined;
}

/** Returns a run that is queued, picked, running and then finished. */
export function played(
  name: string,
  triggered: number,
  queued: number,
  running: number,
  end = 'completed',
  message?: string,
): Played {
  const [picked, runs] = [triggered + queued, triggered + queued + Math.min(3, running / 10)];
  const statuses = [
    [triggered, 'queued'],
    [picked, 'picked'],
    [runs, 'running'],
    [picked + running, end],
  ] as const;
  return { name, triggered, statuses, message };
}

/** Returns the start and end of each bar of a run in seconds. */
export function barTimes({ triggered, statuses }: Played): readonly (readonly [from: number, to: number])[] {
  const [end] = statuses.at(-1) ?? [0];
  const hasWaited = triggered > 0 && triggered >= end / 100;
  const starts = [...(hasWaited ? [0] : []), ...statuses.map(([at]) => at)];
  return starts.slice(0, -1).map((from, index) => [from, starts[index + 1] ?? from] as const);
}

/** Returns the summary of a step that begins at 09:00 UTC and whose last run has just finished. */
export function summaryFor(runs: readonly Played[], inputs: Inputs = {}, begun = Date.UTC(2026, 0, 5, 9)): string {
  const states = runs.map(stateOf);
  const { plan, runUrl } = settings({ ...inputs, pipeline: runs.map((_, index) => `pipeline ${index}`).join('\n') });
  const now = Math.max(...states.map(({ endedAt }) => endedAt ?? 0));
  return summaryOf({ runs: states, plan, problems: [], runUrl, at: { now, wall: begun + now } });
}

function stateOf({ name, triggered, statuses, message }: Played, index: number): RunState {
  const [end, status] = statuses.at(-1) ?? [0, ''];
  if (!isTerminal(status)) throw new Error(`${name} has no final status`);
  return Object.assign(newRun(index + 1, { kind: 'pipeline', pipeline: name }), {
    pipeline: { id: idOf(`pipeline ${index}`), name },
    jobId: idOf(`run ${index}`),
    status,
    statusMessage: message ?? null,
    history: statuses.map(([at, each]) => ({ status: each, at: at * 1_000 })),
    phase: { at: 'finished', status },
    startedAt: triggered * 1_000,
    endedAt: end * 1_000,
  } satisfies Partial<RunState>);
}

/** Derives a UUID from the name alone. */
export function idOf(name: string): Uuid {
  const digits = createHash('sha256').update(name).digest('hex');
  const id = asUuid(digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5'));
  if (id === undefined) throw new Error(`${digits} makes no UUID`);
  return id;
}
