import { formatDuration } from '../base/duration.ts';
import { listed, oneLine } from '../base/text.ts';
import { areExisting, isTooLateToRetry, type Plan, type Policy } from '../run/plan.ts';
import type { RunState } from '../run/state.ts';
import type { ApiHost } from '../service/api.ts';
import { quotedStatus } from '../service/statuses.ts';
import { MOST_ON_A_SCREEN } from './many.ts';
import { nameAndId } from './names.ts';

/** Returns the lines to print before the first trigger: the runs, the hosts and what a cancellation does. */
export function announcement(
  plan: Plan,
  runs: readonly RunState[],
  baseUrl: URL,
  { apiUrl, region }: ApiHost,
): string[] {
  const { dryRun, fullResync, onCancel, resetTarget, wait } = plan;
  const isTriggering = !areExisting(runs.map(({ target }) => target));
  const dropped = resetTarget ? ', tables dropped and recreated' : '';
  const where = region === '' ? '' : `, region ${oneLine(region, 60)}`;
  const lines = [
    dryRun ? 'Dry run: the step will not trigger any runs. Without dry-run, it would use these settings:' : '',
    // A longer list would hide the lines below it.
    ...runs.slice(0, MOST_ON_A_SCREEN).map(targetWords),
    runs.length > MOST_ON_A_SCREEN ? `… and ${runs.length - MOST_ON_A_SCREEN} more` : '',
    isTriggering ? `Options: ${fullResync ? 'full resync' : 'incremental sync'}${dropped}` : '',
    `Hosts: ${baseUrl.href} (base-url) and ${apiUrl.href} (API${where})`,
    ...(dryRun ? [] : wait ? waitingWords(plan) : [notWaitingWords(plan)]),
    dryRun
      ? ''
      : `${wait || onCancel === 'leave' ? 'If the workflow is cancelled' : 'On GitHub, if the workflow is cancelled before this job ends'}, the ${wait ? '' : 'post '}step ${afterwards(onCancel)}.`,
  ];
  return lines.filter((line) => line !== '');
}

function targetWords(run: RunState): string {
  const { jobId, pipeline } = run.target;
  if (pipeline === undefined) return `Run: ${jobId} (existing run)`;
  return `Pipeline: ${nameAndId(run)}${jobId === undefined ? '' : `. If run ${jobId} has already finished with a status that is not in succeed-on, the step triggers another run. Otherwise, it uses run ${jobId}.`}`;
}

function afterwards(policy: Policy): string {
  return policy === 'cancel' ? 'cancels unfinished runs' : 'lets unfinished runs continue';
}

function notWaitingWords({ timeoutMs }: Plan): string {
  const limit = timeoutMs === Infinity ? '' : ` After ${formatDuration(timeoutMs)}, it triggers no more runs.`;
  return `The step does not wait. It finishes as soon as all runs are queued.${limit}`;
}

function failFastWords({ onCancel, targets }: Plan): string {
  const ends = onCancel === 'cancel' ? 'cancels' : 'stops waiting for';
  return areExisting(targets)
    ? `After a run has failed, the step ${ends} the others`
    : `After a pipeline has failed, the step triggers no more runs and ${ends} unfinished ones`;
}

/** Returns one line for each rule. */
function waitingWords(plan: Plan): string[] {
  const { failFast, maxAttempts, maxParallel, onTimeout, queueTimeoutMs, retryDelayMs, retryOn, timeoutMs } = plan;
  const isSingle = plan.targets.length === 1;
  const every = formatDuration(plan.pollIntervalMs);
  const inQueue = formatDuration(queueTimeoutMs);
  return [
    `The step waits${timeoutMs === Infinity ? ' without a time limit' : ''} until ${isSingle ? 'the run finishes' : 'all runs finish'}, and checks ${isSingle ? 'its status' : 'their statuses'} every ${every}.`,
    timeoutMs === Infinity
      ? ''
      : `After ${formatDuration(timeoutMs)}, the step ${onTimeout === 'cancel' ? '' : 'stops waiting and '}${afterwards(onTimeout)}.`,
    queueTimeoutMs === Infinity
      ? ''
      : `The step ${onTimeout === 'cancel' ? 'cancels' : 'stops waiting for'} a run after ${inQueue} in the queue.`,
    maxParallel === Infinity
      ? ''
      : `At most ${maxParallel === 1 ? '1 run is' : `${maxParallel} runs are`} queued or running at a time.`,
    maxAttempts === 1 || isTooLateToRetry(timeoutMs, plan)
      ? ''
      : `If a run finishes with the status ${listed(retryOn.map(quotedStatus), 'or')}, the step starts another attempt after ${formatDuration(retryDelayMs)}, up to ${maxAttempts} attempts in total.`,
    failFast && !isSingle ? `${failFastWords(plan)} (fail-fast).` : '',
  ];
}
