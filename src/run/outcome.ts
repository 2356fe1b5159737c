import type { Plan } from './plan.ts';
import type { RunState } from './run-state.ts';

/** How a run ended for the step, the worst first. */
export const OUTCOMES = [
  'unknown',
  'lost',
  'wait_timed_out',
  'cancelled',
  'not_triggered',
  'failed',
  'triggered',
  'succeeded',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** What the standing of a run means for the step. Only an end that was seen, in time and undisturbed, is a success. */
export function outcomeOf(run: RunState, plan: Pick<Plan, 'succeedOn'>): Outcome {
  const { standing, stop } = run;
  switch (standing.at) {
    case 'ended':
      if (stop !== undefined) return stopped(run);
      return plan.succeedOn.has(standing.status) ? 'succeeded' : 'failed';
    case 'detached':
      return 'triggered';
    case 'unknown':
    case 'triggering':
      return 'unknown';
    case 'lost':
      return 'lost';
    case 'waiting':
    case 'not_queued':
      return stop === undefined ? 'not_triggered' : stopped(run);
    case 'in_progress':
    case 'left':
    case 'unsettled':
      return stop === undefined ? 'lost' : stopped(run);
  }
}

function stopped(run: RunState): Outcome {
  return run.stop?.reason.kind === 'interrupted' ? 'cancelled' : 'wait_timed_out';
}

/** The run's status as the outputs tell it: what the service said last, or that there is no run, or that nobody knows. */
export function statusOf(run: RunState): string {
  switch (run.standing.at) {
    case 'waiting':
    case 'not_queued':
      return 'not_queued';
    case 'triggering':
    case 'unknown':
      return 'unknown';
    default:
      return run.status ?? 'unknown';
  }
}

/** Whether the step may end as a success: every run did what was asked, and nobody interrupted. */
export function isSuccess(runs: readonly RunState[], plan: Plan, interrupted: boolean): boolean {
  if (interrupted || runs.length === 0) return false;
  const good: Outcome = plan.wait ? 'succeeded' : 'triggered';
  return runs.every((run) => outcomeOf(run, plan) === good);
}
