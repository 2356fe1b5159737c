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

/** A line about a run: how long it has been going on, what it is called, and what happened. */
export function lineAbout(run: RunState, now: number, text: string): string {
  const seconds = Math.floor((now - (begunAt(run) ?? now)) / 1_000);
  return `[${formatDuration(seconds * 1_000)}] ${nameOf(run)}: ${text}`;
}

/** Behind the end of one of several runs: how many have ended. With several attempts, that is not known yet. */
export function endedOf(runs: readonly RunState[], { maxAttempts }: Plan): string {
  if (runs.length === 1 || maxAttempts > 1) return '';
  return ` (${runs.filter(({ phase }) => phase.at === 'finished').length} of ${runs.length} ended)`;
}

/** `queued → running`, with the message of the service, and a note for a status unknown to this version. */
export function changeWords(run: RunState, before: Pick<RunState, 'status'>): string {
  const to = statusWord(run.status);
  // That a message is too long is reported once, at the end of the run, and not with every change.
  const said = run.statusMessage === MESSAGE_TOO_LONG ? '' : oneLine(run.statusMessage ?? '', 300);
  const arrow = before.status === undefined ? to : `${statusWord(before.status)} → ${to}`;
  const note = isKnownStatus(run.status ?? '')
    ? ''
    : ' (this version does not know the status and treats it as in progress)';
  return `${arrow}${said === '' ? '' : `: ${said}`}${note}`;
}

/** That a run is queued or taken, and where to look at it; or that another attempt follows, and why. */
export function beginningWords({ fact, before, run }: Change, { plan, runUrl }: Settings): string | undefined {
  if (fact.kind === 'again') {
    return `${attemptOf(run, plan)} follows in ${formatDuration(fact.inMs)}, because the run ${endedHow(before.status)}`;
  }
  if (fact.kind !== 'queued' && fact.kind !== 'awaited') return undefined;
  const href = linkTo(run, runUrl);
  const link = href === undefined ? '' : `: ${href}`;
  const id = run.jobId ?? '';
  if (fact.kind === 'queued') {
    return `run ${id} is queued${plan.maxAttempts > 1 ? ` (${attemptOf(run, plan)})` : ''}${link}`;
  }
  const how = run.target.kind === 'job' ? 'is awaited' : `resumes run ${id} instead of triggering a new one`;
  return `${how}${run.status === undefined ? '' : `; its status is ${statusWord(run.status)}`}${link}`;
}

/** Since when reads have failed, and when that is given up. */
export function outageWords(sinceMs: number, maxOutageMs: number): string {
  return `No valid response for ${formatDuration(sinceMs)}, the step gives up after ${formatDuration(maxOutageMs)}. The run continues.`;
}

/** Why the step stops waiting, and what that means for the runs that are not over; up to five are named. */
export function stoppingWords(stop: Stop, runs: readonly RunState[]): string {
  const open = runs.filter(
    (run) =>
      run.phase.at === 'in_progress' || (run.phase.at === 'left' && run.stop === stop && stop.reason.kind !== 'signal'),
  );
  const isInFlight = runs.some(({ phase }) => phase.at === 'triggering');
  const waits = isInFlight ? ' If a trigger was sent already, the step waits for its response first.' : '';
  if (open.length === 0) return `${reasonOf(stop)}.${waits}`;
  const which = open.length > 5 ? `${open.length} runs` : open.map(runOf).join(', ');
  const verb = open.length === 1 ? 'is' : 'are';
  return `${reasonOf(stop)}: ${which} ${verb} ${stop.policy === 'cancel' ? 'being cancelled' : 'left running'}.${waits}`;
}

/** The log is never silent for longer than this. */
export const RAREST_SIGN_MS = 900_000;

/**
 * How long the log says nothing of what does not change, in milliseconds, `sinceMs` after it began: three minutes at first,
 * later a fifth of the time so far.
 */
export function signAfterMs(sinceMs: number): number {
  return Math.min(RAREST_SIGN_MS, Math.max(180_000, sinceMs / 5));
}
