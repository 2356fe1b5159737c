import type { Plan } from '../plan.ts';
import type { Stop } from './facts.ts';
import { lastKnown, type RunState } from './run-state.ts';

/** The possible outcomes of a run for the step, worst first. */
export const OUTCOMES = [
  'unknown',
  'lost',
  'wait_timed_out',
  'cancelled',
  'not_triggered',
  'failed',
  'triggered',
  'dry_run',
  'succeeded',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** Returns the outcome of a run for the step. Only a run that finishes in time and without a stop succeeds. */
export function outcomeOf(run: RunState, plan: Pick<Plan, 'succeedOn'>): Outcome {
  const { phase, stop } = run;
  switch (phase.at) {
    case 'finished':
      if (stop !== undefined) return stopped(run, stop);
      return plan.succeedOn.has(phase.status) ? 'succeeded' : 'failed';
    case 'detached':
      return 'triggered';
    case 'dry_run':
      return 'dry_run';
    case 'unknown':
    case 'triggering':
      return 'unknown';
    case 'lost':
      return 'lost';
    case 'waiting':
    case 'not_queued':
      if (run.earlier.length > 0 && stop?.reason.kind !== 'signal') return 'failed';
      return stop === undefined ? 'not_triggered' : stopped(run, stop);
    case 'in_progress':
    case 'left':
    case 'unsettled':
      return stop === undefined ? 'lost' : stopped(run, stop);
  }
}

function stopped({ phase }: RunState, { reason }: Stop): Outcome {
  switch (reason.kind) {
    case 'timeout':
    case 'queue_timeout':
      return 'wait_timed_out';
    case 'fail_fast':
      return phase.at === 'not_queued' || phase.at === 'waiting' ? 'not_triggered' : 'cancelled';
    default:
      return 'cancelled';
  }
}

/** Returns the status for the outputs: the last reported status, `not_queued` if no run exists, or `unknown`. */
export function statusOf(run: RunState): string {
  switch (run.phase.at) {
    case 'waiting':
    case 'dry_run':
    case 'not_queued':
      return lastKnown(run).status ?? 'not_queued';
    case 'triggering':
    case 'unknown':
      return 'unknown';
    default:
      return run.status ?? 'unknown';
  }
}

/** Returns true if the step may succeed: every run did what the plan requires, and nothing interrupted the step. */
export function isSuccess(runs: readonly RunState[], plan: Plan, interrupted: boolean): boolean {
  if (interrupted || runs.length === 0) return false;
  const good = new Set<Outcome>(['succeeded']);
  if (plan.dryRun) good.add('dry_run');
  else if (!plan.wait) good.add('triggered');
  return runs.every((run) => good.has(outcomeOf(run, plan)) && !detachedUnrecorded(run, plan));
}

/** Returns true if post may cancel this run because the state on disk does not say to leave the run in progress. */
export function postMayCancel({ unrecorded }: RunState, { onCancel }: Pick<Plan, 'onCancel'>): boolean {
  return unrecorded !== undefined && onCancel === 'cancel';
}

/** Returns true if the step could not record that a run is detached, so post may cancel the run. */
export function detachedUnrecorded(run: RunState, plan: Pick<Plan, 'onCancel'>): boolean {
  return run.phase.at === 'detached' && postMayCancel(run, plan);
}

/** Returns the worst outcome of several runs. */
export function worstOutcome(runs: readonly RunState[], plan: Pick<Plan, 'succeedOn'>): Outcome {
  const outcomes = new Set(runs.map((run) => outcomeOf(run, plan)));
  return OUTCOMES.find((outcome) => outcomes.has(outcome)) ?? 'not_triggered';
}

const BAD_STATUSES = ['unknown', 'not_queued', 'failed', 'timed_out', 'cancelled'];
const GOOD_STATUSES = ['skipped', 'completed_with_warning', 'completed'];

/**
 * Returns the worst status of several runs, so that two successful runs never hide a failed one. A run in progress
 * ranks between failure and success.
 */
export function worstStatus(runs: readonly RunState[]): string {
  const statuses = runs.map(statusOf);
  const open = statuses.filter((status) => !BAD_STATUSES.includes(status) && !GOOD_STATUSES.includes(status));
  return [...BAD_STATUSES, ...open, ...GOOD_STATUSES].find((status) => statuses.includes(status)) ?? 'not_queued';
}
