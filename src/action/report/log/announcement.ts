import { formatDuration } from '../../../base/duration.ts';
import { oneLine } from '../../../base/safe-text.ts';
import type { OnStop, Plan } from '../../../run/plan.ts';
import type { RunState } from '../../../run/state/run-state.ts';
import type { Account } from '../../../service/api.ts';
import { isTerminal } from '../../../service/statuses.ts';
import { listed } from '../../inputs/input-reader.ts';
import type { Settings } from '../../inputs/settings.ts';
import { columnsOf, cutToColumns } from '../summary/markdown.ts';
import { nameAndId, nameOf } from '../words.ts';

/** Maximum number of runs to list. A longer list would hide the lines below it. */
const MOST_NAMED = 30;

/** Returns the lines to log before the first trigger, about the runs, the service and the effect of a cancellation. */
export function announcement(
  { plan, baseUrl }: Pick<Settings, 'plan' | 'baseUrl'>,
  account: Account | undefined,
  runs: readonly RunState[],
): string[] {
  const many = runs.length > 1;
  const region = account?.region === null || account === undefined ? '' : `, region ${oneLine(account.region, 60)}`;
  const waiting = [
    `Waits: ${plan.wait ? waitWords(plan, many) : `no; the step ends once ${many ? 'the runs are' : 'the run is'} queued`}`,
    ...(plan.maxAttempts > 1 && plan.wait ? [`Attempts: ${attemptWords(plan)}`] : []),
    `On cancellation: ${policyWords(plan.onCancel, many)}`,
  ];
  const dropped = plan.resetTarget ? ', tables dropped and recreated' : '';
  return [
    ...(plan.dryRun ? ['Dry run: the step triggers nothing. Without dry-run, it would run the following:'] : []),
    ...(many ? [`Runs: ${runs.length}, ${atOnceWords(plan)}`] : []),
    ...runs.slice(0, MOST_NAMED).map(targetWords),
    ...(runs.length > MOST_NAMED ? [`… and ${runs.length - MOST_NAMED} more`] : []),
    ...(runs.every(({ target }) => target.kind === 'job') ? [] : [`Options: ${syncWords(plan)}${dropped}`]),
    `Hosts: ${baseUrl.href} and ${account?.apiUrl.href ?? ''} (API${region})`,
    ...(plan.dryRun ? [] : waiting),
  ];
}

function atOnceWords({ maxParallel, failFast, targets, wait }: Plan): string {
  const isLimited = Number.isFinite(maxParallel) && wait && targets.some(({ kind }) => kind !== 'job');
  const atOnce = isLimited ? `at most ${maxParallel} at once` : 'all at once';
  return failFast ? `${atOnce}; no further triggers after the first run that does not succeed (fail-fast)` : atOnce;
}

function targetWords(run: RunState): string {
  if (run.target.kind === 'job') return `Run: ${run.target.jobId} (existing run)`;
  const resumed = run.target.kind === 'resume' ? `, resuming run ${run.target.jobId} if possible` : '';
  return `Pipeline: ${nameAndId(run)}${resumed}`;
}

function syncWords({ fullResync }: Plan): string {
  return fullResync ? 'full resync' : 'incremental sync';
}

function waitWords({ timeoutMs, queueTimeoutMs, onTimeout, pollIntervalMs }: Plan, many: boolean): string {
  const atMost = (ms: number, where: string, several: boolean): string =>
    `at most ${formatDuration(ms)}${where}, after which ${policyWords(onTimeout, several)}`;
  const limit = timeoutMs === undefined ? 'no limit' : atMost(timeoutMs, '', many);
  const queue = queueTimeoutMs === undefined ? '' : `; ${atMost(queueTimeoutMs, ' in the queue', false)}`;
  const until = many ? 'until all runs have finished' : 'until the run has finished';
  return `${until}, with status checks every ${formatDuration(pollIntervalMs)}; ${limit}${queue}`;
}

function attemptWords({ maxAttempts, retryOn, retryDelayMs }: Plan): string {
  return `up to ${maxAttempts}; the next one starts ${formatDuration(retryDelayMs)} after a run ends with status ${listed([...retryOn], 'or')}`;
}

/** Describes the effect of a policy on stopped runs. */
export function policyWords(policy: OnStop, many: boolean): string {
  return `the ${many ? 'runs are' : 'run is'} ${policy === 'cancel' ? 'cancelled' : 'left running'}`;
}

/** Returns the findings of a dry run: the planned triggers, the tables they would drop, and unchecked conditions. */
export function dryRunLines(runs: readonly RunState[], plan: Plan): string[] {
  const rows = runs.map((run) => {
    const name = run.target.kind === 'job' ? '–' : nameOf(run);
    const drops = isTriggered(run, plan) && plan.resetTarget ? 'its destination tables' : 'nothing';
    const cells = [name, run.pipeline?.id ?? '–', whatItWouldDo(run, plan), drops];
    return cells.map((cell) => cutToColumns(cell, 80));
  });
  const table = [['PIPELINE', 'UUID', 'WOULD', 'DROPS'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => columnsOf(row[column] ?? ''))));
  const padded = (cell: string, column: number): string =>
    `${cell}${' '.repeat(Math.max(0, (widths[column] ?? 0) - columnsOf(cell)))}`;
  const lines = table.map((row) => row.map(padded).join('  '));
  return runs.some((run) => isTriggered(run, plan)) ? [...lines, NOT_CHECKED] : lines;
}

const NOT_CHECKED = 'Only a trigger shows whether the account has credits and whether each pipeline is active.';

/** Returns whether the real step would trigger a run, as far as a dry run can predict. */
function isTriggered({ target, phase, status = '' }: RunState, plan: Plan): boolean {
  if (phase.at !== 'dry_run' || target.kind === 'job') return false;
  return target.kind === 'pipeline' || (isTerminal(status) && !plan.succeedOn.has(status));
}

function whatItWouldDo(run: RunState, plan: Plan): string {
  const { target, phase, status = '' } = run;
  if (phase.at !== 'dry_run') return 'fail';
  if (target.kind === 'pipeline' || isTriggered(run, plan)) return `trigger a run, ${syncWords(plan)}`;
  return `${target.kind === 'job' ? 'await' : 'resume'} run ${target.jobId} (${oneLine(status, 40)})`;
}
