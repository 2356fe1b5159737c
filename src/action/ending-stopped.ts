import { formatDuration } from '../base/duration.ts';
import { isForgotten } from '../run/outcome.ts';
import type { Expectation } from '../run/plan.ts';
import type { RunState } from '../run/run-state.ts';
import type { Problem } from '../service/api.ts';
import {
  CANCEL_THERE,
  cap,
  type Ending,
  endedHow,
  failureOf,
  postMayCancel,
  reasonOf,
  remedyOf,
  runOf,
  saidBy,
  withStop,
} from './words.ts';

const HEARTBEAT = 'Its agent stops at its next heartbeat, within seconds.';

/** A run that was seen to end after it was to be cancelled. */
export function endedWhenStopped(run: RunState): Ending {
  const cancelled = run.status === 'cancelled';
  const what = cancelled
    ? `${runOf(run)} was cancelled${inHowLong(run)}`
    : `${runOf(run)} ${endedHow(run.status ?? '')} before it could be cancelled`;
  return stoppedEnding(run, `${what}${cancelled ? '' : saidBy(run)}`, cancelled ? [HEARTBEAT] : []);
}

/** An interruption that left nothing open is what somebody wanted; a time-out is not. */
export function stoppedEnding(run: RunState, what: string, advice: readonly string[]): Ending {
  const why = run.stop === undefined ? '' : `${reasonOf(run.stop)}: `;
  const level = run.stop?.reason.kind === 'interrupted' ? 'notice' : 'error';
  const line = withStop(why === '' ? cap(what) : `${why}${what}`);
  return { level, line, advice: [...advice, ...againstTimeouts(run)] };
}

function againstTimeouts({ stop }: RunState): string[] {
  switch (stop?.reason.kind) {
    case 'timeout':
      return ['If the run needs longer than that, write more into timeout.'];
    case 'queue_timeout':
      return ['Check in the application that an agent is there and free, or write more into queue-timeout.'];
    default:
      return [];
  }
}

function inHowLong(run: RunState): string {
  if (run.stop === undefined || run.endedAt === undefined) return '';
  const ms = run.endedAt - run.stop.at;
  return ms < 1_000 ? ' at once' : ` within ${formatDuration(ms)}`;
}

/** A run that on-cancel or on-timeout left running. */
export function left(run: RunState, plan: Expectation): Ending {
  const byTimeout = run.stop?.reason.kind === 'timeout' || run.stop?.reason.kind === 'queue_timeout';
  const input = byTimeout ? 'on-timeout' : 'on-cancel';
  return stoppedEnding(run, `${runOf(run)} is left running, because ${input} is leave`, [
    isForgotten(run, plan) ? postMayCancel(run) : howToGoOn(run),
  ]);
}

/** A run whose cancel nobody has seen taking effect. */
export function unsettled(run: RunState, problem: Problem | undefined): Ending {
  const what = `the cancel of ${runOf(run)} is not confirmed, and it may still be going on`;
  const ending = stoppedEnding(run, what, [
    ...(problem === undefined ? [] : [failureOf(problem), ...remedyOf(problem)]),
    // Without a stop it was cancel/ that tried, and no post step follows.
    run.stop === undefined ? CANCEL_THERE : 'The post step tries again at the end of the job.',
  ]);
  return { ...ending, level: 'error' };
}

/** A run that goes on can be awaited again; who does not know that triggers a second one. */
export function howToGoOn(run: RunState): string {
  return run.target.kind === 'job' || run.jobId === undefined
    ? 'Run this step again to go on waiting for it.'
    : `To go on waiting for it, run this step again with job-id: ${run.jobId} beside pipeline; without that, a second run is triggered.`;
}
