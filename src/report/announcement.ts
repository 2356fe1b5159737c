import { formatDuration } from '../base/duration.ts';
import { oneLine } from '../base/text.ts';
import type { Plan, Policy } from '../run/plan.ts';
import type { RunState } from '../run/state.ts';
import type { Grant } from '../service/session.ts';
import { MOST_ON_A_SCREEN } from './many.ts';
import { nameAndId } from './names.ts';

/** Returns the lines to print before the first trigger: the runs, the hosts and what a cancellation does. */
export function announcement(
  plan: Plan,
  runs: readonly RunState[],
  baseUrl: URL,
  { apiUrl, region }: Pick<Grant, 'apiUrl' | 'region'>,
): string[] {
  const { dryRun, fullResync, onCancel, resetTarget, wait } = plan;
  const isTriggering = runs.some(({ target }) => target.pipeline !== undefined);
  const dropped = resetTarget ? ', tables dropped and recreated' : '';
  const where = region === '' ? '' : `, region ${oneLine(region, 60)}`;
  const lines = [
    dryRun ? 'Dry run: the step triggers nothing. Without dry-run, it would use the following:' : '',
    // A longer list would hide the lines below it.
    ...runs.slice(0, MOST_ON_A_SCREEN).map(targetWords),
    runs.length > MOST_ON_A_SCREEN ? `… and ${runs.length - MOST_ON_A_SCREEN} more` : '',
    isTriggering ? `Options: ${fullResync ? 'full resync' : 'incremental sync'}${dropped}` : '',
    `Hosts: ${baseUrl.href} (base-url) and ${apiUrl.href} (API${where})`,
    dryRun ? '' : `Waits: ${wait ? waitingWords(plan) : notWaitingWords(plan)}`,
    dryRun ? '' : `On cancellation: ${fateUnder(onCancel)}`,
  ];
  return lines.filter((line) => line !== '');
}

function targetWords(run: RunState): string {
  const { jobId, pipeline } = run.target;
  if (pipeline === undefined) return `Run: ${jobId} (existing run)`;
  return `Pipeline: ${nameAndId(run)}${jobId === undefined ? '' : ` (resumes run ${jobId} if possible)`}`;
}

function fateUnder(policy: Policy): string {
  return policy === 'cancel' ? 'cancels unfinished runs' : 'lets unfinished runs continue';
}

function notWaitingWords({ timeoutMs }: Plan): string {
  const limit = timeoutMs === Infinity ? '' : `, or after ${formatDuration(timeoutMs)}`;
  return `no; the step finishes when all runs are queued${limit}`;
}

function waitingWords(plan: Plan): string {
  const { failFast, maxAttempts, maxParallel, onTimeout, queueTimeoutMs, retryDelayMs, retryOn, timeoutMs } = plan;
  const isSingle = plan.targets.length === 1;
  const parts = [
    `until ${isSingle ? 'the' : 'every'} run finishes; checks the status every ${formatDuration(plan.pollIntervalMs)}`,
    timeoutMs === Infinity ? 'no time limit' : `at most ${formatDuration(timeoutMs)}, then ${fateUnder(onTimeout)}`,
    queueTimeoutMs === Infinity
      ? ''
      : `${onTimeout === 'cancel' ? 'cancels' : 'stops waiting for'} a run after ${formatDuration(queueTimeoutMs)} in the queue`,
    maxParallel === Infinity || isSingle
      ? ''
      : `at most ${maxParallel} ${maxParallel === 1 ? 'run' : 'runs'} at a time`,
    maxAttempts === 1
      ? ''
      : `makes up to ${maxAttempts} attempts, ${formatDuration(retryDelayMs)} apart, if the status is ${retryOn.join(' or ')}`,
    failFast && !isSingle ? 'triggers no more runs after a pipeline has failed (fail-fast)' : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
}
