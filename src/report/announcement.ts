import { formatDuration } from '../base/duration.ts';
import { listed, oneLine } from '../base/text.ts';
import type { Plan, Policy } from '../run/plan.ts';
import type { RunState } from '../run/state.ts';
import { nameAndId } from './names.ts';

/** A longer list would hide the lines below it. */
const MOST_LISTED = 30;

/** The hosts that the step talks to, and where the service's API is. */
export interface Hosts {
  readonly baseUrl: URL;
  readonly apiUrl: URL;
  readonly region: string;
}

/** Returns the lines to print before the first trigger: the runs, the hosts and what a cancellation does. */
export function announcement(plan: Plan, runs: readonly RunState[], { baseUrl, apiUrl, region }: Hosts): string[] {
  const isMany = runs.length > 1;
  const dropped = plan.resetTarget ? ', tables dropped and recreated' : '';
  const where = region === '' ? '' : `, region ${oneLine(region, 60)}`;
  const isTriggering = runs.some(({ target }) => target.pipeline !== undefined);
  return [
    ...(plan.dryRun ? ['Dry run: the step triggers nothing. Without dry-run, it would run the following:'] : []),
    ...(isMany ? [`Runs: ${runs.length}, ${atOnce(plan, isTriggering)}`] : []),
    ...runs.slice(0, MOST_LISTED).map(targetWords),
    ...(runs.length > MOST_LISTED ? [`… and ${runs.length - MOST_LISTED} more`] : []),
    ...(isTriggering ? [`Options: ${plan.fullResync ? 'full resync' : 'incremental sync'}${dropped}`] : []),
    `Hosts: ${baseUrl.href} and ${apiUrl.href} (API${where})`,
    ...(plan.dryRun ? [] : waiting(plan, isMany)),
  ];
}

function atOnce({ failFast, maxParallel, wait }: Plan, isTriggering: boolean): string {
  const isLimited = Number.isFinite(maxParallel) && wait && isTriggering;
  const many = isLimited ? `at most ${maxParallel} at once` : 'all at once';
  return failFast ? `${many}; no further triggers after the first run that does not succeed (fail-fast)` : many;
}

function targetWords(run: RunState): string {
  const { jobId, pipeline } = run.target;
  if (pipeline === undefined) return `Run: ${jobId} (existing run)`;
  return `Pipeline: ${nameAndId(run)}${jobId === undefined ? '' : `, resuming run ${jobId} if possible`}`;
}

function waiting(plan: Plan, isMany: boolean): string[] {
  const { maxAttempts, retryDelayMs, retryOn, wait } = plan;
  const until = wait ? limits(plan, isMany) : `no; the step ends once ${isMany ? 'the runs are' : 'the run is'} queued`;
  const attempts = `up to ${maxAttempts}; the next one starts ${formatDuration(retryDelayMs)} after a run ends with one of these statuses: ${listed(retryOn)}`;
  return [
    `Waits: ${until}`,
    ...(wait && maxAttempts > 1 ? [`Attempts: ${attempts}`] : []),
    `On cancellation: ${policyWords(plan.onCancel, isMany)}`,
  ];
}

function limits({ onTimeout, pollIntervalMs, queueTimeoutMs, timeoutMs }: Plan, isMany: boolean): string {
  const atMost = (ms: number, where: string, isAll: boolean): string =>
    `at most ${formatDuration(ms)}${where}, after which ${policyWords(onTimeout, isAll)}`;
  const limit = timeoutMs === Infinity ? 'no limit' : atMost(timeoutMs, '', isMany);
  const queue = queueTimeoutMs === Infinity ? '' : `; ${atMost(queueTimeoutMs, ' in the queue', false)}`;
  const until = isMany ? 'until all runs have finished' : 'until the run has finished';
  return `${until}, with status checks every ${formatDuration(pollIntervalMs)}; ${limit}${queue}`;
}

function policyWords(policy: Policy, isMany: boolean): string {
  return `the ${isMany ? 'runs are' : 'run is'} ${policy === 'cancel' ? 'cancelled' : 'left running'}`;
}
