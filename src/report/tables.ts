import { mayContinue, type RunState, wasLetGo } from '../run/state.ts';
import { type Context, type Ending, meaningOf } from './ending.ts';
import { hasAgent, NEEDS_MORE_TIME } from './stopped.ts';

/* The warning about the destination tables of a run with reset-target. */

/**
 * Adds a warning about the tables of a run that ended too early, that the step no longer waits for or, in the post step,
 * that is detached.
 */
export function withTables(ending: Ending, run: RunState, { resetTarget }: Context, isPost: boolean): Ending {
  if (!resetTarget) return ending;
  const warned = (until: string): Ending => ({ ...ending, line: `${ending.line} ${tablesIncomplete(until)}` });
  const isLetGo = wasLetGo(run) && (isPost || run.phase.at !== 'detached');
  if (isLetGo) return warned('this run has completed');
  if (mayContinue(run)) return warned(A_FULL_RESYNC);
  const hasBegun = run.phase.at === 'finished' && mayHaveBegun(run, isPost);
  if (!hasBegun || !meaningOf(run.status).lacksData) return ending;
  // A longer timeout alone would lead to another reset.
  const others = ending.advice.filter((each) => each !== NEEDS_MORE_TIME);
  const timeout = others.length < ending.advice.length ? ' and a longer timeout' : '';
  const load = `To restore the tables, run the pipeline with full-resync: true${timeout}, but without reset-target.`;
  const level = ending.level === 'error' ? 'error' : 'warning';
  return { ...warned(A_FULL_RESYNC), level, advice: [...others, NO_OTHER_RESET, load] };
}

const A_FULL_RESYNC = 'a full resync has completed';
const NO_OTHER_RESET = 'Do not re-run this job, because a re-run would drop the tables again.';

/** Warns about the tables of a run with reset-target. `until` says when they are complete again. */
function tablesIncomplete(until: string): string {
  return `Because reset-target is true, the destination tables may be missing or incomplete until ${until}.`;
}

/** The warning for runs that are not on record. */
export const TABLES_INCOMPLETE = tablesIncomplete(A_FULL_RESYNC);

/** A run that was cancelled within this time after a queue timeout was still in the queue when the cancel arrived. */
const CANCELLED_IN_QUEUE_MS = 2_000;

/**
 * Returns whether a finished run may have begun. After a queue timeout, an agent can pick up the run until a cancel
 * reaches the service, and the post step does not know how long that took.
 */
function mayHaveBegun(run: RunState, isPost: boolean): boolean {
  const { endedAt = Infinity, status, stop } = run;
  if (stop?.why !== 'queue_timeout') return true;
  return isPost || hasAgent(run) || status !== 'cancelled' || endedAt - stop.at > CANCELLED_IN_QUEUE_MS;
}
