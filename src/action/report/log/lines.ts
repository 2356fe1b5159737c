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

/** A line about a run: its age, its name and an event. */
export function lineAbout(run: RunState, now: number, text: string): string {
  const seconds = Math.floor((now - (begunAt(run) ?? now)) / 1_000);
  return `[${formatDuration(seconds * 1_000)}] ${nameOf(run)}: ${text}`;
}

/** How many of several runs have finished. Empty with several attempts, because that is not known yet. */
export function endedOf(runs: readonly RunState[], { maxAttempts }: Plan): string {
  if (runs.length === 1 || maxAttempts > 1) return '';
  return ` (${runs.filter(({ phase }) => phase.at === 'finished').length} of ${runs.length} ended)`;
}

/** `queued → running`, with the message of the service, and a note for a status unknown to this version. */
export function changeWords(run: RunState, before: Pick<RunState, 'status'>): string {
  const to = statusWord(run.status);
  // A message that is too long is reported once, at the end of the run.
  const said = run.statusMessage === MESSAGE_TOO_LONG ? '' : oneLine(run.statusMessage ?? '', 300);
  const arrow = before.status === undefined ? to : `${statusWord(before.status)} → ${to}`;
  const note = isKnownStatus(run.status ?? '')
    ? ''
    : ' (this version does not know the status and treats it as in progress)';
  return `${arrow}${said === '' ? '' : `: ${said}`}${note}`;
}

/** A run was queued or taken, with its link; or another attempt follows, with the reason. */
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

/** For how long reads have failed, and when the step gives up. */
export function outageWords(sinceMs: number, maxOutageMs: number): string {
  return `No valid response for ${formatDuration(sinceMs)}; the step gives up after ${formatDuration(maxOutageMs)}. The run continues.`;
}

/** Why the step stops waiting, and what happens to unfinished runs; up to five are named. */
export function stoppingWords(stop: Stop, runs: readonly RunState[]): string {
  const open = runs.filter(
    (run) =>
      run.phase.at === 'in_progress' || (run.phase.at === 'left' && run.stop === stop && stop.reason.kind !== 'signal'),
  );
  const isInFlight = runs.some(({ phase }) => phase.at === 'triggering');
  const waits = isInFlight ? ' If the step has sent a trigger, it awaits the response first.' : '';
  if (open.length === 0) return `${reasonOf(stop)}.${waits}`;
  const which = open.length > 5 ? `${open.length} runs` : open.map(runOf).join(', ');
  const verb = open.length === 1 ? 'is' : 'are';
  return `${reasonOf(stop)}: ${which} ${verb} ${stop.policy === 'cancel' ? 'being cancelled' : 'left running'}.${waits}`;
}

/** The log is never silent for longer than this. */
export const RAREST_SIGN_MS = 900_000;

/**
 * How long the log is silent about an unchanged run, in milliseconds, `sinceMs` after it began: three minutes at first,
 * later a fifth of that time.
 */
export function signAfterMs(sinceMs: number): number {
  return Math.min(RAREST_SIGN_MS, Math.max(180_000, sinceMs / 5));
}
