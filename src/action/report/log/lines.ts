import { formatDuration } from '../../../base/duration.ts';
import { oneLine } from '../../../base/safe-text.ts';
import type { Plan } from '../../../run/plan.ts';
import type { Stop } from '../../../run/state/facts.ts';
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

/** Behind the end of one of several runs: how many have ended. With several attempts, nobody knows that yet. */
export function endedOf(runs: readonly RunState[], { maxAttempts }: Plan): string {
  if (runs.length === 1 || maxAttempts > 1) return '';
  return ` (${runs.filter(({ phase }) => phase.at === 'finished').length} of ${runs.length} ended)`;
}

/** `queued → running`, with what the service says of it, and a note for a status that nobody knows here. */
export function changeWords(run: RunState, before: Pick<RunState, 'status'>): string {
  const to = statusWord(run.status);
  // That a message is too long is reported once, at the end of the run, and not with every change.
  const message = run.statusMessage === MESSAGE_TOO_LONG ? null : run.statusMessage;
  const said = message === null ? '' : oneLine(message, 300);
  const arrow = before.status === undefined ? to : `${statusWord(before.status)} → ${to}`;
  const note = isKnownStatus(run.status ?? '') ? '' : ' (a status unknown to this version: taken as still in progress)';
  return `${arrow}${said === '' ? '' : `: ${said}`}${note}`;
}

/** The id of a new run, and where to look at it. */
export function queuedWords(run: RunState, { plan, runUrl }: Pick<Settings, 'plan' | 'runUrl'>): string {
  const nth = plan.maxAttempts > 1 ? ` (${attemptOf(run, plan)})` : '';
  return `run ${run.jobId ?? ''} is queued${nth}${linkBehind(run, runUrl)}`;
}

/** That another attempt follows, and why. */
export function againWords(run: RunState, before: RunState, plan: Plan, inMs: number): string {
  return `${attemptOf(run, plan)} follows in ${formatDuration(inMs)}, because the run ${endedHow(before.status ?? '')}`;
}

/** That an existing run is awaited, and where to look at it. */
export function attachedWords(run: RunState, runUrl: string | undefined): string {
  const status = run.status === undefined ? '' : `; its status is ${statusWord(run.status)}`;
  const link = linkBehind(run, runUrl);
  return run.target.kind === 'job'
    ? `is awaited${status}${link}`
    : `the run ${run.jobId ?? ''} is taken instead of a new one${status}${link}`;
}

function linkBehind(run: RunState, runUrl: string | undefined): string {
  const link = linkTo(run, runUrl);
  return link === undefined ? '' : `: ${link}`;
}

/** Since when reads have failed, and when that is given up. */
export function outageWords(sinceMs: number, maxOutageMs: number): string {
  return `No good answer for ${formatDuration(sinceMs)}, given up after ${formatDuration(maxOutageMs)}; the run itself goes on.`;
}

/** So many runs are named in one line. */
const MOST_NAMED = 5;

/** Why the step stops waiting, and what that means for the runs that are not over. */
export function stoppingWords(stop: Stop, runs: readonly RunState[]): string {
  const open = runs.filter(
    (run) =>
      run.phase.at === 'in_progress' || (run.phase.at === 'left' && run.stop === stop && stop.reason.kind !== 'signal'),
  );
  const inFlight = runs.filter(({ phase }) => phase.at === 'triggering');
  const waits = inFlight.length === 0 ? '' : ' If a trigger was sent already, the step waits for its response first.';
  if (open.length === 0) return `${reasonOf(stop)}.${waits}`;
  const which = open.length > MOST_NAMED ? `${open.length} runs` : open.map(runOf).join(', ');
  const verb = open.length === 1 ? 'is' : 'are';
  return `${reasonOf(stop)}: ${which} ${verb} ${stop.policy === 'cancel' ? 'being cancelled' : 'left running'}.${waits}`;
}

/** A sign of life while nothing changes: every three minutes at first, later a fifth of the time so far, in ms. */
const FIRST_SIGN_MS = 180_000;
const RAREST_SIGN_MS = 900_000;

/** Many runs change all the time: how far they are is told twice a minute at first, later a twentieth of the time. */
const FIRST_COUNT_MS = 30_000;

/** How long nothing may be said of what does not change, in milliseconds, `sinceMs` after it began. */
export function signAfterMs(sinceMs: number): number {
  return Math.min(RAREST_SIGN_MS, Math.max(FIRST_SIGN_MS, sinceMs / 5));
}

/** How long nothing may be said of how far many runs are, in milliseconds, `sinceMs` after they began. */
export function countAfterMs(sinceMs: number): number {
  return Math.min(RAREST_SIGN_MS, Math.max(FIRST_COUNT_MS, sinceMs / 20));
}
