// Builds job summaries from runs that a test describes with times in seconds.
import { createHash } from 'node:crypto';
import { summaryOf } from '../../src/report/summary.ts';
import type { RunState } from '../../src/run/state.ts';
import { aRun, finished, PLAN } from '../unit/report/scene.ts';

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
export function summaryFor(runs: readonly Played[], runUrl = '', begun = Date.UTC(2026, 0, 5, 9)): string {
  const states = runs.map(stateOf);
  const now = Math.max(...states.map(({ endedAt }) => endedAt ?? 0));
  return summaryOf(states, PLAN, runUrl, { now, wall: begun + now });
}

function stateOf({ name, triggered, statuses, message = '' }: Played, index: number): RunState {
  const [end, status] = statuses.at(-1) ?? [0, ''];
  return aRun({
    target: { pipeline: name },
    pipeline: { id: idOf(`pipeline ${index}`), name, apiName: '' },
    jobId: idOf(`run ${index}`),
    message,
    history: statuses.map(([at, each]) => ({ status: each, at: at * 1_000 })),
    startedAt: triggered * 1_000,
    ...finished(status, end * 1_000),
  });
}

/** Derives a UUID from the name alone. */
export function idOf(name: string): string {
  const digits = createHash('sha256').update(name).digest('hex');
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}
