import { oneLine } from '../base/text.ts';
import { isExisting } from '../run/plan.ts';
import { nameOf, type RunState } from '../run/state.ts';
import {
  type CancellableStatus,
  type FinalStatus,
  isCancellable,
  isFinalStatus,
  shownStatus,
} from '../service/statuses.ts';

/** Returns the name and UUID of a run's pipeline, such as `orders (99999999-…)`. */
export function nameAndId(run: RunState): string {
  const name = nameOf(run);
  const id = run.pipeline?.id ?? name;
  return id === name.toLowerCase() ? name : `${name} (${id})`;
}

/** Identifies a run within a sentence. The service does not say which pipeline an existing run belongs to. */
export function runOf(run: RunState): string {
  const { isGiven, jobId, target } = run;
  if (isGiven || isExisting(target)) return `run ${jobId ?? target.jobId}`;
  return `run ${jobId} of ${nameOf(run)}`;
}

/** Returns the link to a run, or '' while an id that it needs is unknown. */
export function linkTo({ jobId, pipeline }: RunState, template: string): string {
  if (template === '' || jobId === undefined) return '';
  if (pipeline === undefined && template.includes('{pipeline-id}')) return '';
  return new URL(template.replaceAll('{job-id}', jobId).replaceAll('{pipeline-id}', pipeline?.id ?? '')).href;
}

const VERBS: Readonly<Record<CancellableStatus | FinalStatus, string>> = {
  queued: 'is queued',
  picked: 'was picked up by an agent',
  running: 'is running',
  completed: 'completed',
  completed_with_warning: 'completed with warnings',
  failed: 'failed',
  cancelled: 'was cancelled',
  timed_out: "exceeded the service's time limit",
  skipped: 'was skipped',
};

/** Returns a verb phrase for a run's status, such as `was cancelled`. */
export function statusWords({ status = '' }: RunState): string {
  if (isCancellable(status) || isFinalStatus(status)) return VERBS[status];
  return `has the status ${shownStatus(status)}`;
}

/** The maximum length of the service's message within a sentence or a line. */
export const LONGEST_SAID = 500;

/** Returns the service's message about a run, after a colon, or '' if there is none. */
export function saidBy({ message }: RunState): string {
  const said = oneLine(message, LONGEST_SAID);
  return said === '' ? '' : `: ${said}`;
}
