import { OUTCOMES, type Outcome, outcomeOf } from '../run/outcome.ts';
import type { Expectation } from '../run/plan.ts';
import type { RunState } from '../run/run-state.ts';
import { isTerminal } from '../service/statuses.ts';

/** A stretch of a run's life, from one instant of the monotonic clock to another, in milliseconds. */
export interface Phase {
  /** A status as the service sent it, or a word of this action. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** It led to an end that needs attention. */
  readonly isBad: boolean;
}

/** A run that changes its status more often shows its first and its last phases, and one for all between. */
const MOST_PHASES = 6;
const FIRST_PHASES = 3;

/** Before a run there is something to see only if it took this part of the whole. */
const WORTH_A_BAR = 0.01;

const GOOD: readonly Outcome[] = OUTCOMES.slice(OUTCOMES.indexOf('triggered'));

/**
 * The phases of a run, in the order of time, as far as there was a run. `begun` is when the first run of the step
 * began; until this one began, it waited for its turn.
 */
export function phasesOf(run: RunState, plan: Expectation, begun: number, now: number): readonly Phase[] {
  const { startedAt, standing } = run;
  if (startedAt === undefined || standing.at === 'not_queued') return [];
  const end = endOf(run, now);
  const statuses = statusStarts(run);
  const [first] = statuses;
  const lead = (first?.at ?? end) - startedAt;
  const least = (end - begun) * WORTH_A_BAR;
  const starts = [
    ...(startedAt - begun < least ? [] : [{ name: 'waiting', at: begun }]),
    ...(lead < least ? [] : [{ name: run.attached ? 'first read' : 'triggering', at: startedAt }]),
    ...statuses,
    ...(standing.at === 'unknown' ? [{ name: 'unknown', at: startedAt }] : []),
  ];
  const isBad = !GOOD.includes(outcomeOf(run, plan));
  const phases = starts.map(({ name, at }, index) => {
    const to = starts[index + 1]?.at ?? end;
    return { name, from: Math.min(at, end), to: Math.min(to, end), isBad: false };
  });
  const some = fewer(phases.filter(({ from, to }) => to > from));
  return some.map((phase, index) => (index === some.length - 1 ? { ...phase, isBad } : phase));
}

/** When what is known of the run ends: its own end, or the last that was heard of it. */
function endOf(run: RunState, now: number): number {
  if (run.endedAt !== undefined) return run.endedAt;
  if (run.standing.at === 'lost') return run.lastReadAt ?? now;
  if (run.standing.at === 'left') return run.stop?.at ?? now;
  return now;
}

/** When each status began. From the moment a run is being cancelled, that is what counts. */
function statusStarts(run: RunState): { readonly name: string; readonly at: number }[] {
  const { history, stop } = run;
  const statuses = history
    .filter(({ status }) => !isTerminal(status))
    .map(({ status, at }) => ({ name: status, at }));
  if (stop === undefined || stop.policy !== 'cancel' || run.jobId === undefined) return statuses;
  return [...statuses.filter(({ at }) => at <= stop.at), { name: 'cancelling', at: stop.at }];
}

function fewer(phases: readonly Phase[]): readonly Phase[] {
  if (phases.length <= MOST_PHASES) return phases;
  const last = phases.slice(FIRST_PHASES - MOST_PHASES + 1);
  const between = phases.slice(FIRST_PHASES, phases.length - last.length);
  const [from, to] = [between[0]?.from, between.at(-1)?.to];
  if (from === undefined || to === undefined) return phases;
  const merged = { name: `${between.length} more changes`, from, to, isBad: false };
  return [...phases.slice(0, FIRST_PHASES), merged, ...last];
}
