import { formatDuration } from '../../../base/duration.ts';
import type { Plan } from '../../../run/plan.ts';
import { OUTCOMES, type Outcome, outcomeOf, statusOf, worstOutcome } from '../../../run/state/outcome.ts';
import { attemptsOf, type RunState } from '../../../run/state/run-state.ts';
import { linkTo } from '../../inputs/run-url.ts';
import { appendToSummary, readFile, replaceFile } from '../../runner/file-access.ts';
import type { Files } from '../../runner/files.ts';
import { endingOf, endingOfAll } from '../endings.ts';
import { nameOf } from '../words.ts';
import { codeLink, cutToColumns, plainMarkdown, upTo } from './markdown.ts';
import { type Instant, timelineOf } from './timeline.ts';

/** Maximum size in bytes. The runner ignores a larger summary. */
const MAX_SUMMARY_BYTES = 1_048_576;

/** Limits of the table and of the remarks below it. */
const MAX_TABLE_ROWS = 500;
const MAX_TABLE_BYTES = 400_000;
const MAX_REMARKS = 50;
const MAX_REMARK_BYTES = 200_000;

/** Maximum width of a name. With wider names, GitHub wraps the ids in the last column. The log shows the full name. */
const MAX_NAME_COLUMNS = 40;

/** Writes summaries. Each replaces the previous one and keeps the file's original content. Throws if a write fails. */
export function createSummaryWriter(files: Files, path = '') {
  let before: string | undefined;
  return {
    show(markdown: string): void {
      if (path === '') return;
      const kind = files.kindOf(path);
      if (kind === 'character_device') {
        appendToSummary(files, path, `${markdown}\n`);
        return;
      }
      before ??= readFile(files, path);
      if (before === undefined && kind === 'file') throw new Error('its content could not be read');
      before ??= '';
      const text = `${before}${markdown}\n`;
      if (Buffer.byteLength(text) > MAX_SUMMARY_BYTES) throw new Error('it would exceed the limit of 1 MiB');
      replaceFile(files, path, text);
    },
  };
}

interface SummaryParts {
  readonly runs: readonly RunState[];
  readonly plan: Plan;
  /** The problems that prevented all triggers, one paragraph each. */
  readonly problems: readonly string[];
  readonly runUrl: string | undefined;
  readonly at: Instant;
}

/** Returns the job summary as Markdown: a table of the runs, remarks about them, and a timeline. */
export function summaryOf({ runs, plan, problems, runUrl, at }: SummaryParts): string {
  const judged = runs.map((run) => {
    const ending = endingOf(run, plan);
    return { run, ending, rank: 2 * OUTCOMES.indexOf(outcomeOf(run, plan)) + (ending.level === undefined ? 1 : 0) };
  });
  // Sort by outcome, worst first, then put annotated runs before others, then keep the order of the input.
  const sorted = judged.sort((a, b) => a.rank - b.rank);
  const attempts = sorted.flatMap(({ run }) => attemptsOf(run));
  const hasBegun = problems.length === 0;
  // If there are several runs, only those that need attention get a remark.
  const remarks = sorted
    .filter(({ ending }) => runs.length === 1 || ending.level !== undefined)
    .map(({ ending: { line, advice } }) => [line, ...advice].join(' '));
  const parts = [
    `### ${headline(runs, plan)}`,
    runs.length > 1 && hasBegun ? plainMarkdown(endingOfAll(runs, plan), 1_000) : '',
    tableOf(attempts, plan, runUrl),
    remarksPart(hasBegun ? remarks : problems),
    plan.wait && !plan.dryRun && hasBegun ? timelineOf(attempts, plan, at) : '',
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

const MARKS: Readonly<Record<Outcome, string>> = {
  unknown: '❓',
  lost: '❓',
  wait_timed_out: '⌛',
  cancelled: '🛑',
  not_triggered: '⛔',
  failed: '❌',
  triggered: '🚀',
  dry_run: '📝',
  succeeded: '✅',
};

function markOf(run: RunState, outcome: Outcome): string {
  return outcome === 'succeeded' && statusOf(run) === 'completed_with_warning' ? '⚠️' : MARKS[outcome];
}

function headline(runs: readonly RunState[], plan: Plan): string {
  if (plan.dryRun) return '📝 Dry run: nothing was triggered';
  const [run, another] = runs;
  if (run === undefined) return 'Pipeline run';
  if (another !== undefined) return `${MARKS[worstOutcome(runs, plan)]} ${runs.length} pipeline runs`;
  return `${markOf(run, outcomeOf(run, plan))} Pipeline run: ${plainMarkdown(nameOf(run))}`;
}

const TABLE_HEAD = '| Pipeline | Outcome | Status | Duration | Run |\n| --- | --- | --- | --- | --- |';

function tableOf(runs: readonly RunState[], plan: Plan, runUrl: string | undefined): string {
  const all = runs.slice(0, MAX_TABLE_ROWS).map((run) => {
    const { startedAt, endedAt, jobId } = run;
    const outcome = outcomeOf(run, plan);
    const name = plainMarkdown(cutToColumns(nameOf(run), MAX_NAME_COLUMNS));
    const cells = [
      plan.maxAttempts > 1 ? `${name}, attempt ${run.attempt}` : name,
      `${markOf(run, outcome)} ${outcome.replaceAll('_', ' ')}`,
      plainMarkdown(statusOf(run), 60),
      startedAt === undefined || endedAt === undefined ? '–' : formatDuration(endedAt - startedAt),
      jobId === undefined ? '–' : codeLink(jobId, linkTo(run, runUrl)),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const rows = upTo(MAX_TABLE_BYTES, all);
  return [TABLE_HEAD, ...rows].join('\n') + omitted(rows.length, runs.length, 'runs');
}

/** Renders one remark as a paragraph and several as a list. */
function remarksPart(remarks: readonly string[]): string {
  const bullet = remarks.length > 1 ? '- ' : '';
  const all = remarks.slice(0, MAX_REMARKS).map((remark) => `${bullet}${plainMarkdown(remark, 1_000)}`);
  const lines = upTo(MAX_REMARK_BYTES, all);
  return lines.join('\n') + omitted(lines.length, remarks.length, 'remarks');
}

function omitted(shown: number, all: number, what: string): string {
  return shown < all ? `\n\n… and ${all - shown} more ${what}, which the log lists.` : '';
}
