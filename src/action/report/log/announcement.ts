import { formatDuration } from '../../../base/duration.ts';
import { oneLine } from '../../../base/safe-text.ts';
import type { OnStop, Plan } from '../../../run/plan.ts';
import type { RunState } from '../../../run/state/run-state.ts';
import type { Account } from '../../../service/api.ts';
import { listed } from '../../inputs/input-reader.ts';
import type { Settings } from '../../inputs/settings.ts';
import { nameAndId } from '../words.ts';

/** So many pipelines are named one by one; a longer list would hide what stands below it. */
const MOST_NAMED = 30;

/** What will run, where, and what a cancel would do: before anything is triggered. */
export function announcement(
  settings: Pick<Settings, 'plan' | 'baseUrl'>,
  account: Account | undefined,
  runs: readonly RunState[],
): string[] {
  const { plan, baseUrl } = settings;
  const many = runs.length > 1;
  const region = account?.region === null || account === undefined ? '' : `, region ${oneLine(account.region, 60)}`;
  return [
    ...(plan.dryRun ? ['Dry run: nothing is triggered. This is what would run:'] : []),
    ...(many ? [`Runs: ${runs.length}, ${atOnceWords(plan)}`] : []),
    ...runs.slice(0, MOST_NAMED).map(targetWords),
    ...(runs.length > MOST_NAMED ? [`… and ${runs.length - MOST_NAMED} more`] : []),
    ...(runs.every(({ target }) => target.kind === 'job') ? [] : [`Options: ${optionWords(plan)}`]),
    `Hosts: ${baseUrl.href}, and ${account?.apiUrl.href ?? ''} for its API${region}`,
    `Waits: ${plan.wait ? waitWords(plan, many) : `no; the step ends when ${many ? 'the runs are' : 'the run is'} queued`}`,
    ...(plan.maxAttempts > 1 && plan.wait ? [`Attempts: ${attemptWords(plan)}`] : []),
    `On cancel: ${policyWords(plan.onCancel, many)}`,
  ];
}

function atOnceWords({ maxParallel, failFast, targets, wait }: Plan): string {
  const isLimited = Number.isFinite(maxParallel) && wait && targets.some(({ kind }) => kind !== 'job');
  const atOnce = isLimited ? `at most ${maxParallel} at once` : 'all at once';
  return failFast ? `${atOnce}; after the first that is not a success, no more (fail-fast)` : atOnce;
}

function targetWords(run: RunState): string {
  if (run.target.kind === 'job') return `Run: ${run.target.jobId}, which exists already`;
  const resumed = run.target.kind === 'resume' ? `, unless the run ${run.target.jobId} can be taken` : '';
  return `Pipeline: ${nameAndId(run)}${resumed}`;
}

function optionWords(plan: Plan): string {
  const how = plan.fullResync ? 'full resync' : 'incremental sync';
  return plan.resetTarget ? `${how}, tables dropped and made anew` : how;
}

function waitWords(plan: Plan, many: boolean): string {
  const limit =
    plan.timeoutMs === undefined
      ? 'no time limit'
      : `at most ${formatDuration(plan.timeoutMs)}, then ${policyWords(plan.onTimeout, many)}`;
  const queue =
    plan.queueTimeoutMs === undefined
      ? ''
      : `; at most ${formatDuration(plan.queueTimeoutMs)} in the queue, then ${policyWords(plan.onTimeout, false)}`;
  const until = many ? 'until all runs are over, each' : 'until the run is over,';
  return `${until} read every ${formatDuration(plan.pollIntervalMs)}; ${limit}${queue}`;
}

function attemptWords({ maxAttempts, retryOn, retryDelayMs }: Plan): string {
  return `up to ${maxAttempts}; the next one ${formatDuration(retryDelayMs)} after a run that ended as ${listed([...retryOn], 'or')}`;
}

/** What becomes of runs that are stopped. */
export function policyWords(policy: OnStop, many: boolean): string {
  return `the ${many ? 'runs are' : 'run is'} ${policy === 'cancel' ? 'cancelled' : 'left running'}`;
}
