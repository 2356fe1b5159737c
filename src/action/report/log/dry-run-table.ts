import { oneLine } from '../../../base/safe-text.ts';
import type { Plan } from '../../../run/plan.ts';
import type { RunState } from '../../../run/state/run-state.ts';
import { isTerminal } from '../../../service/statuses.ts';
import { columnsOf, cutToColumns } from '../summary/markdown.ts';
import { nameOf } from '../words.ts';

/** Widest cell of the table, in columns; a name that is longer is cut. */
const WIDEST_CELL = 80;

/** What a dry run found, for the log: a table of what would happen, and what would be dropped; then what nobody knows. */
export function dryRunLines(runs: readonly RunState[], plan: Plan): string[] {
  const rows = [['PIPELINE', 'UUID', 'WOULD', 'DROPS'], ...runs.map((run) => rowOf(run, plan))];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => columnsOf(row[column] ?? ''))));
  const table = rows.map((row) => row.map((cell, column) => padded(cell, widths[column] ?? 0)).join('  '));
  return [...table.map((line) => line.trimEnd()), ...(runs.some((run) => isTriggered(run, plan)) ? [NOT_CHECKED] : [])];
}

const NOT_CHECKED =
  'Not checked, since only a trigger tells: whether the account has credits, and whether each pipeline is active.';

function rowOf(run: RunState, plan: Plan): string[] {
  const name = run.target.kind === 'job' ? '–' : nameOf(run);
  const drops = isTriggered(run, plan) && plan.resetTarget ? 'its destination tables' : 'nothing';
  return [name, run.pipeline?.id ?? '–', whatItWouldDo(run, plan), drops].map((cell) =>
    cutToColumns(cell, WIDEST_CELL),
  );
}

/** Whether the real step would trigger a run, as far as can be told. */
function isTriggered({ target, phase, status = '' }: RunState, plan: Plan): boolean {
  if (phase.at !== 'dry_run' || target.kind === 'job') return false;
  return target.kind === 'pipeline' || (isTerminal(status) && !plan.succeedOn.has(status));
}

function whatItWouldDo(run: RunState, plan: Plan): string {
  const { target, phase, status = '' } = run;
  if (phase.at !== 'dry_run') return 'fail';
  if (target.kind === 'pipeline' || isTriggered(run, plan)) {
    return `trigger a run, ${plan.fullResync ? 'full resync' : 'incremental sync'}`;
  }
  const does = target.kind === 'job' ? 'await' : 'take';
  return `${does} a run that is ${oneLine(status, 40)}: ${target.jobId}`;
}

function padded(cell: string, columns: number): string {
  return `${cell}${' '.repeat(Math.max(0, columns - columnsOf(cell)))}`;
}
