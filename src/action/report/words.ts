import { formatDuration } from '../../base/duration.ts';
import { sentences } from '../../base/file-errors.ts';
import { oneLine, quoted } from '../../base/safe-text.ts';
import type { Stop } from '../../run/state/facts.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { Problem } from '../../service/api.ts';
import { isTerminal, type TerminalStatus } from '../../service/statuses.ts';
import type { Level } from '../runner/toolkit.ts';

/** A description of how a run ended, written for people. */
export interface Ending {
  /** The level of attention that the ending needs, or undefined if it needs none. */
  readonly level: Level | undefined;
  /** One line that makes sense on its own, for example in a chat. */
  readonly line: string;
  /** The consequences and the next steps, one sentence each. */
  readonly advice: readonly string[];
}

/** Returns the text for a run that post may cancel because the step could not record that the run should continue. */
export function postMayCancelText({ unrecorded }: RunState): string {
  return sentences('The post step may cancel the run at the end of the job.', unrecorded?.remedy ?? '');
}

/** Returns the display name of a run's pipeline: its name if known, otherwise the text of the input. */
export function nameOf({ pipeline, target }: RunState): string {
  const given = target.kind === 'job' ? target.jobId : target.pipeline;
  // The records do not contain the text of the input.
  return shownName(pipeline?.name ?? (given === '' ? (pipeline?.id ?? '') : given));
}

/** Returns the pipeline's name and UUID, as in `orders (99999999-…)`. */
export function nameAndId(run: RunState): string {
  const [name, id] = [nameOf(run), run.pipeline?.id];
  return id === undefined || id === name.toLowerCase() ? name : `${name} (${id})`;
}

function shownName(name: string): string {
  const shown = oneLine(name, 80);
  return shown === '' ? 'a pipeline without a name' : shown;
}

/** Returns a phrase that identifies the run within a sentence, such as `run 1b2c… of orders`. */
export function runOf(run: RunState): string {
  const { target, attached, jobId } = run;
  // The service does not report a run's pipeline, so an id from the input does not reveal the run's pipeline.
  if (target.kind !== 'pipeline' && (target.kind === 'job' || attached)) return `run ${target.jobId}`;
  return jobId === undefined ? `the run of ${nameOf(run)}` : `run ${jobId} of ${nameOf(run)}`;
}

/** Returns a status as safe text for a single line, because the service may send any string. */
export function statusWord(status: string | undefined): string {
  return oneLine(status ?? '', 60);
}

/** Returns a sentence with the attempted operation and the cause of its failure. */
export function failureOf(problem: Problem): string {
  return withStop(`Could not ${oneLine(problem.attempted)}: ${oneLine(problem.cause)}`);
}

/** Returns the remedy for a failure, or an empty list if the only remedy is to wait. */
export function remedyOf({ remedy }: Problem): string[] {
  return remedy === undefined ? [] : [oneLine(remedy, 600)];
}

/** Returns advice for a failure, even if the only remedy is to wait. */
export function adviceOf(problem: Problem): string {
  return remedyOf(problem)[0] ?? 'This may be temporary, so run this step again later.';
}

/** Appends a full stop to text unless the text already ends with punctuation. */
export function withStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Capitalizes text for the beginning of a sentence. */
export function cap(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the reason why the step stopped waiting, as a sentence without a full stop. */
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

/** Returns a verb phrase for a terminal status, to complete a sentence about a run. */
export function endedHow(status = ''): string {
  return isTerminal(status) ? ENDED_HOW[status] : `has the status ${quoted(status, 60)}`;
}

/** Formats a wall-clock time as ISO 8601. Never throws, even if the clock is out of range for toISOString. */
export function isoTime(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString();
}
