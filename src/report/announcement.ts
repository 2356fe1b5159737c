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
  const dropped = plan.resetTarget ? ', tables dropped and recreated' : '';
  const where = region === '' ? '' : `, region ${oneLine(region, 60)}`;
  const isTriggering = runs.some(({ target }) => target.pipeline !== undefined);
  return [
    ...(plan.dryRun ? ['Dry run: the step triggers nothing. Without dry-run, it would run the following:'] : []),
    ...runs.slice(0, MOST_LISTED).map(targetWords),
    ...(runs.length > MOST_LISTED ? [`… and ${runs.length - MOST_LISTED} more`] : []),
    ...(isTriggering ? [`Options: ${plan.fullResync ? 'full resync' : 'incremental sync'}${dropped}`] : []),
    ...(runs.length > 1 && isTriggering ? [`Order: ${order(plan)}`] : []),
    `Hosts: ${baseUrl.href} and ${apiUrl.href} (API${where})`,
    ...(plan.dryRun ? [] : waiting(plan)),
  ];
}

function targetWords(run: RunState): string {
  const { jobId, pipeline } = run.target;
  if (pipeline === undefined) return `Run: ${jobId} (existing run)`;
  return `Pipeline: ${nameAndId(run)}${jobId === undefined ? '' : `, resuming run ${jobId} if possible`}`;
}

function order({ failFast, maxParallel, wait }: Plan): string {
  const atOnce = wait && Number.isFinite(maxParallel) ? `at most ${maxParallel} runs at once` : 'all runs at once';
  return failFast ? `${atOnce}, and none after the first one that does not succeed (fail-fast)` : atOnce;
}

function waiting(plan: Plan): string[] {
  const { maxAttempts, onCancel, onTimeout, pollIntervalMs, queueTimeoutMs, retryDelayMs, retryOn, wait } = plan;
  const onCancellation = `On cancellation: runs in progress are ${policyWords(onCancel)}`;
  if (!wait) return ['Waits: no; the step ends once everything is queued', onCancellation];
  const atMost = (ms: number): string =>
    `at most ${formatDuration(ms)}, after which the run is ${policyWords(onTimeout)}`;
  const limit = plan.timeoutMs === Infinity ? 'no limit' : atMost(plan.timeoutMs);
  const attempts = `up to ${maxAttempts}; the next one starts ${formatDuration(retryDelayMs)} after a run ends with one of these statuses: ${listed(retryOn)}`;
  return [
    `Waits: until every run has finished, with status checks every ${formatDuration(pollIntervalMs)}; ${limit}`,
    ...(queueTimeoutMs === Infinity ? [] : [`Queue: ${atMost(queueTimeoutMs)}`]),
    ...(maxAttempts > 1 ? [`Attempts: ${attempts}`] : []),
    onCancellation,
  ];
}

function policyWords(policy: Policy): string {
  return policy === 'cancel' ? 'cancelled' : 'left running';
}
