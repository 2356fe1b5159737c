import { formatDuration } from '../base/duration.ts';
import { oneLine } from '../base/safe-text.ts';
import type { RunState } from '../run/run-state.ts';
import type { Stop } from '../run/stop.ts';
import { MESSAGE_TOO_LONG } from '../service/statuses.ts';
import { linkTo } from './links.ts';
import { reasonOf, runOf, statusWord } from './words.ts';

/** `queued → running`, with what the service says of it, and a note for a status that nobody knows here. */
export function changeWords(run: RunState, from: string | undefined, known: boolean): string {
  const to = statusWord(run.status);
  // That a message is too long is reported once, at the end of the run, and not with every change.
  const message = run.statusMessage === MESSAGE_TOO_LONG ? null : run.statusMessage;
  const said = message === null ? '' : oneLine(message, 300);
  const arrow = from === undefined ? to : `${statusWord(from)} → ${to}`;
  const note = known ? '' : ' (a status unknown to this version: taken as still in progress)';
  return `${arrow}${said === '' ? '' : `: ${said}`}${note}`;
}

/** The id of a new run, and where to look at it. */
export function queuedWords(run: RunState, runUrl: string | undefined): string {
  return `run ${run.jobId ?? ''} is queued${linkBehind(run, runUrl)}`;
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
  const open = runs.filter(({ standing }) => standing.at === 'in_progress');
  const inFlight = runs.filter(({ standing }) => standing.at === 'triggering');
  const waits =
    inFlight.length === 0 ? '' : ' If a trigger was sent already, the step waits for its response first.';
  if (open.length === 0) return `${reasonOf(stop)}.${waits}`;
  const which = open.length > MOST_NAMED ? `${open.length} runs` : open.map(runOf).join(', ');
  const verb = open.length === 1 ? 'is' : 'are';
  return `${reasonOf(stop)}: ${which} ${verb} ${stop.policy === 'cancel' ? 'being cancelled' : 'left running'}.${waits}`;
}
