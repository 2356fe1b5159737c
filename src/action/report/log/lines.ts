import { formatDuration } from '../../../base/duration.ts';
import { oneLine } from '../../../base/safe-text.ts';
import type { Plan } from '../../../run/plan.ts';
import type { Stop } from '../../../run/state/facts.ts';
import type { Change } from '../../../run/state/ledger.ts';
import { begunAt, type RunState } from '../../../run/state/run-state.ts';
import { isKnownStatus, MESSAGE_TOO_LONG } from '../../../service/statuses.ts';
import { linkTo } from '../../inputs/run-url.ts';
import type { Settings } from '../../inputs/settings.ts';
import { attemptOf } from '../endings.ts';
import { endedHow, nameOf, reasonOf, runOf, statusWord } from '../words.ts';

/** Returns a line about a run: its age, its name and an event. */
export function lineAbout(run: RunState, now: number, text: string): string {
  const seconds = Math.floor((now - (begunAt(run) ?? now)) / 1_000);
  return `[${formatDuration(seconds * 1_000)}] ${nameOf(run)}: ${text}`;
}

/** Returns the number of finished runs, or '' if there is only one run or if finished runs may be retried. */
export function endedOf(runs: readonly RunState[], { maxAttempts }: Plan): string {
  if (runs.length === 1 || maxAttempts > 1) return '';
  return ` (${runs.filter(({ phase }) => phase.at === 'finished').length} of ${runs.length} finished)`;
}

/** Describes a change as `queued → running`, with the service's message, and a note about an unknown status. */
export function changeWords(run: RunState, before: Pick<RunState, 'status'>): string {
  const to = statusWord(run.status);
  // The log mentions an overlong message only once, when the run finishes.
  const said = run.statusMessage === MESSAGE_TOO_LONG ? '' : oneLine(run.statusMessage ?? '', 300);
  const arrow = before.status === undefined ? to : `${statusWord(before.status)} → ${to}`;
  const note = isKnownStatus(run.status ?? '')
    ? ''
    : ' (this version of the action does not know this status and treats the run as in progress)';
  return `${arrow}${said === '' ? '' : `: ${said}`}${note}`;
}

/** Announces a queued or awaited run with its link, or the next attempt with its reason. */
export function beginningWords({ fact, before, run }: Change, { plan, runUrl }: Settings): string | undefined {
  if (fact.kind === 'again') {
    return `${attemptOf(run, plan)} follows in ${formatDuration(fact.inMs)}, because the run ${endedHow(before.status)}`;
  }
  if (fact.kind !== 'queued' && fact.kind !== 'awaited') return undefined;
  const href = linkTo(run, runUrl);
  const link = href === undefined ? '' : `: ${href}`;
  if (fact.kind === 'queued') {
    return `run ${fact.jobId} is queued${plan.maxAttempts > 1 ? ` (${attemptOf(run, plan)})` : ''}${link}`;
  }
  const how =
    run.target.kind === 'resume'
      ? `resumes run ${run.target.jobId} instead of triggering a new one`
      : 'awaits this run';
  return `the step ${how}${run.status === undefined ? '' : `; the run's status is ${statusWord(run.status)}`}${link}`;
}

/** Says how long reads have been failing and when the step will give up. */
export function outageWords(sinceMs: number, maxOutageMs: number): string {
  return `No valid response for ${formatDuration(sinceMs)}; the step gives up after ${formatDuration(maxOutageMs)}. The run is not affected.`;
}

/** Explains why the step stops waiting and how it treats unfinished runs. Names them if there are at most five. */
export function stoppingWords(stop: Stop, runs: readonly RunState[]): string {
  const open = runs.filter(
    (run) =>
      run.phase.at === 'in_progress' || (run.phase.at === 'left' && run.stop === stop && stop.reason.kind !== 'signal'),
  );
  const isInFlight = runs.some(({ phase }) => phase.at === 'triggering');
  const waits = isInFlight ? ' Before it ends, the step awaits the response to any trigger that it has sent.' : '';
  if (open.length === 0) return `${reasonOf(stop)}.${waits}`;
  const which = open.length > 5 ? `${open.length} runs` : open.map(runOf).join(', ');
  const verb = open.length === 1 ? 'is' : 'are';
  return `${reasonOf(stop)}: ${which} ${verb} ${stop.policy === 'cancel' ? 'being cancelled' : 'left running'}.${waits}`;
}

/** Maximum time for which the log stays silent, in milliseconds. */
export const RAREST_SIGN_MS = 900_000;

/**
 * Returns how long the log stays silent if nothing changes, in milliseconds: three minutes at first, and later a fifth
 * of the time since the start (`sinceMs`), but at most `RAREST_SIGN_MS`.
 */
export function signAfterMs(sinceMs: number): number {
  return Math.min(RAREST_SIGN_MS, Math.max(180_000, sinceMs / 5));
}
