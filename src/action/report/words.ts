import { formatDuration } from '../../base/duration.ts';
import { sentences } from '../../base/file-errors.ts';
import { oneLine, quoted } from '../../base/safe-text.ts';
import type { Stop } from '../../run/state/facts.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { Problem } from '../../service/api.ts';
import { isTerminal, type TerminalStatus } from '../../service/statuses.ts';
import type { Level } from '../runner/toolkit.ts';

/** How a run ended, for people. */
export interface Ending {
  /** How much attention it needs; undefined: none. */
  readonly level: Level | undefined;
  /** One line that can be read alone, in a chat as well. */
  readonly line: string;
  /** What that means and what to do next, a sentence each. */
  readonly advice: readonly string[];
}

/** For a run that post may cancel because the record that it should be left could not be written. */
export function postMayCancelText({ unrecorded }: RunState): string {
  return sentences('The post step may cancel it at the end of the job.', unrecorded?.remedy ?? '');
}

/** What people call the pipeline of a run: its name, else what was given. */
export function nameOf({ pipeline, target }: RunState): string {
  const given = target.kind === 'job' ? target.jobId : target.pipeline;
  // Records do not contain what was given.
  return shownName(pipeline?.name ?? (given === '' ? (pipeline?.id ?? '') : given));
}

/** The pipeline by its name and its UUID: `orders (99999999-…)`. */
export function nameAndId(run: RunState): string {
  const [name, id] = [nameOf(run), run.pipeline?.id ?? ''];
  return id === name.toLowerCase() ? name : `${name} (${id})`;
}

function shownName(name: string): string {
  const shown = oneLine(name, 80);
  return shown === '' ? 'a pipeline without a name' : shown;
}

/** The run as a noun in a sentence: `run 1b2c… of orders`. */
export function runOf(run: RunState): string {
  const { target, attached, jobId } = run;
  // The service does not say which pipeline a run belongs to, so an id that was given proves nothing about it.
  if (target.kind !== 'pipeline' && (target.kind === 'job' || attached)) return `run ${target.jobId}`;
  return jobId === undefined ? `the run of ${nameOf(run)}` : `run ${jobId} of ${nameOf(run)}`;
}

/** A status for a line of text; the service may send any. */
export function statusWord(status: string | undefined): string {
  return oneLine(status ?? '', 60);
}

/** A failure in a sentence: what was attempted and why it failed. */
export function failureOf(problem: Problem): string {
  return withStop(`Could not ${oneLine(problem.attempted)}: ${oneLine(problem.cause)}`);
}

/** What to do about a failure; empty if waiting is the only remedy. */
export function remedyOf({ remedy }: Problem): string[] {
  return remedy === undefined ? [] : [oneLine(remedy, 600)];
}

/** What to do about a failure, in any case. */
export function adviceOf(problem: Problem): string {
  return remedyOf(problem)[0] ?? 'This may be temporary, so run this step again later.';
}

/** A text with a full stop, unless it already ends with punctuation. */
export function withStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** A text as the beginning of a sentence. */
export function cap(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Why the step stopped waiting, as a sentence without its end. */
export function reasonOf({ reason }: Stop): string {
  switch (reason.kind) {
    case 'signal':
      return `Step interrupted (${reason.by})`;
    case 'timeout':
      return `Step timed out after ${formatDuration(reason.afterMs)}`;
    case 'queue_timeout':
      return `No agent picked up the run within ${formatDuration(reason.afterMs)} (queue-timeout)`;
    case 'fail_fast':
      return `Stopped by fail-fast, because ${shownName(reason.after)} did not succeed`;
    case 'main_killed':
      return 'The step ended early';
    case 'job_cancelled':
      return 'The job was cancelled';
  }
}

const ENDED_HOW: Readonly<Record<TerminalStatus, string>> = {
  completed: 'completed',
  completed_with_warning: 'completed with warnings',
  failed: 'failed',
  cancelled: 'was cancelled',
  timed_out: 'exceeded its time limit in the service',
  skipped: 'was skipped',
};

/** A terminal status as the end of a sentence about a run. */
export function endedHow(status = ''): string {
  return isTerminal(status) ? ENDED_HOW[status] : `has the status ${quoted(status, 60)}`;
}

/** A wall-clock time in ISO 8601. Never throws, although a clock may be too wrong for toISOString. */
export function isoTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString();
}
