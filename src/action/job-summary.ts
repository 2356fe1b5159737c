import { formatDuration } from '../base/duration.ts';
import { OUTCOMES, type Outcome, outcomeOf, statusOf, worstOutcome } from '../run/outcome.ts';
import type { Plan } from '../run/plan.ts';
import type { RunState } from '../run/run-state.ts';
import { cutToColumns } from './columns.ts';
import { endingOf } from './ending.ts';
import { endingOfAll } from './ending-of-all.ts';
import { linkTo } from './links.ts';
import { codeLink, plainMarkdown, table, upTo } from './markdown.ts';
import { type Instant, timelineOf } from './timeline.ts';
import { nameOf } from './words.ts';

/** Rows of the table, and remarks below it, at most: nobody reads further. */
const MOST_ROWS = 500;
const MOST_NOTES = 50;

/** A longer name makes the column of the ids so narrow that they break; the remarks and the log have all of it. */
const NAME_COLUMNS = 40;

/** Bytes for the table and for the remarks, whatever they hold: the runner takes 1 MiB of a summary, or nothing. */
const TABLE_BYTES = 400_000;
const NOTES_BYTES = 200_000;

export interface SummaryParts {
  readonly runs: readonly RunState[];
  readonly plan: Plan;
  /** What kept the step from beginning, a sentence each. */
  readonly problems: readonly string[];
  readonly runUrl: string | undefined;
  readonly at: Instant;
}

/** The job summary: what became of each run, what needs attention first, what to do about it, and a timeline. */
export function summaryOf({ runs, plan, problems, runUrl, at }: SummaryParts): string {
  const sorted = worstFirst(runs, plan);
  const notes = problems.length > 0 ? problems : notesOn(sorted, plan);
  const isTimed = plan.wait && !plan.dryRun && problems.length === 0;
  const parts = [
    `### ${headline(runs, plan)}`,
    ...(runs.length > 1 && problems.length === 0 ? [plainMarkdown(endingOfAll(runs, plan), 1_000)] : []),
    tableOf(sorted, plan, runUrl),
    notesPart(notes),
    ...(isTimed ? [timelineOf(sorted, plan, at)] : []),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** The worst outcome first, and of one outcome what is annotated; the rest stays in the order of the input. */
function worstFirst(runs: readonly RunState[], plan: Plan): readonly RunState[] {
  const ranked = runs.map((run) => {
    const isQuiet = endingOf(run, plan).level === undefined;
    return { run, rank: 2 * OUTCOMES.indexOf(outcomeOf(run, plan)) + (isQuiet ? 1 : 0) };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ run }) => run);
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

function markOf(outcome: Outcome, status: string): string {
  return outcome === 'succeeded' && status === 'completed_with_warning' ? '⚠️' : MARKS[outcome];
}

function headline(runs: readonly RunState[], plan: Plan): string {
  if (plan.dryRun) return '📝 Pipeline run: dry run, nothing was triggered';
  const [run, another] = runs;
  if (run === undefined) return 'Pipeline run';
  const isOne = another === undefined;
  const outcome = isOne ? outcomeOf(run, plan) : worstOutcome(runs, plan);
  const what = isOne ? `Pipeline run: ${plainMarkdown(nameOf(run))}` : `${runs.length} pipeline runs`;
  return `${markOf(outcome, isOne ? statusOf(run) : '')} ${what}`;
}

function tableOf(runs: readonly RunState[], plan: Plan, runUrl: string | undefined): string {
  const rows = runs.slice(0, MOST_ROWS).map((run) => rowOf(run, plan, runUrl));
  const text = table(['Pipeline', 'Outcome', 'Status', 'Duration', 'Run'], rows, TABLE_BYTES);
  const shown = text.split('\n').length - HEAD_LINES;
  return [text, ...moreThan(shown, runs.length, 'runs')].join('\n\n');
}

function rowOf(run: RunState, plan: Plan, runUrl: string | undefined): string[] {
  const { startedAt, endedAt } = run;
  const outcome = outcomeOf(run, plan);
  const status = statusOf(run);
  return [
    plainMarkdown(cutToColumns(nameOf(run), NAME_COLUMNS)),
    `${markOf(outcome, status)} ${outcome.replaceAll('_', ' ')}`,
    plainMarkdown(status, 60),
    startedAt === undefined || endedAt === undefined ? '–' : formatDuration(endedAt - startedAt),
    run.jobId === undefined ? '–' : codeLink(run.jobId, linkTo(run, runUrl)),
  ];
}

const HEAD_LINES = 2;

/** One remark as a paragraph, several as a list. */
function notesPart(notes: readonly string[]): string {
  const bullet = notes.length > 1 ? '- ' : '';
  const lines = notes.slice(0, MOST_NOTES).map((note) => `${bullet}${plainMarkdown(note, 1_000)}`);
  const shown = upTo(NOTES_BYTES, lines);
  return [shown.join('\n'), ...moreThan(shown.length, notes.length, 'remarks')].join('\n\n');
}

function moreThan(shown: number, all: number, what: string): string[] {
  return shown < all ? [`… and ${all - shown} more ${what}, which the log names.`] : [];
}

/** Of one run its ending; of several only those that need attention. */
function notesOn(runs: readonly RunState[], plan: Plan): string[] {
  const endings = runs.map((run) => endingOf(run, plan));
  const told = runs.length === 1 ? endings : endings.filter(({ level }) => level !== undefined);
  return told.map(({ line, advice }) => [line, ...advice].join(' '));
}
