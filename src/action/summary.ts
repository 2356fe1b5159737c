import { formatDuration } from '../base/duration.ts';
import { OUTCOMES, outcomeOf, statusOf } from '../run/outcome.ts';
import type { Plan } from '../run/plan.ts';
import type { RunState } from '../run/run-state.ts';
import { endingOf } from './ending.ts';
import { endingOfAll } from './ending-of-all.ts';
import type { Files } from './files.ts';
import { plainMarkdown, table } from './markdown.ts';
import { nameOf } from './words.ts';

/** Rows of the table, and words below it, at most: a summary may hold 1 MiB, and nobody reads further. */
const MOST_ROWS = 500;
const MOST_NOTES = 50;

/** The job summary: what became of each run, what needs attention first, and what to do about it. */
export function summaryOf(runs: readonly RunState[], plan: Plan, problems: readonly string[]): string {
  const sorted = [...runs].sort((a, b) => badness(a, plan) - badness(b, plan));
  const notes = problems.length > 0 ? problems : notesOn(sorted, plan);
  return [
    plan.dryRun ? '### Pipeline run: dry run, nothing was triggered' : '### Pipeline run',
    '',
    ...(runs.length > 1 && problems.length === 0 ? [plainMarkdown(endingOfAll(runs, plan), 1_000), ''] : []),
    table(
      ['Pipeline', 'Run', 'Status', 'Outcome', 'Duration'],
      sorted.slice(0, MOST_ROWS).map((run) => rowOf(run, plan)),
    ),
    ...moreThan(MOST_ROWS, sorted.length, 'runs'),
    '',
    ...notes.slice(0, MOST_NOTES).map((note) => `${plainMarkdown(note, 1_000)}\n`),
    ...moreThan(MOST_NOTES, notes.length, 'remarks'),
  ].join('\n');
}

/** The worst outcome first; runs of one outcome stay in the order of the input. */
function badness(run: RunState, plan: Plan): number {
  return OUTCOMES.indexOf(outcomeOf(run, plan));
}

function rowOf(run: RunState, plan: Plan): string[] {
  const { startedAt, endedAt } = run;
  return [
    plainMarkdown(nameOf(run)),
    run.jobId === undefined ? '–' : `\`${run.jobId}\``,
    plainMarkdown(statusOf(run)),
    plainMarkdown(outcomeOf(run, plan)),
    startedAt === undefined || endedAt === undefined ? '–' : formatDuration(endedAt - startedAt),
  ];
}

/** Of one run its ending; of several only those that need attention. */
function notesOn(runs: readonly RunState[], plan: Plan): string[] {
  const endings = runs.map((run) => endingOf(run, plan));
  const told = runs.length === 1 ? endings : endings.filter(({ level }) => level !== undefined);
  return told.map(({ line, advice }) => [line, ...advice].join(' '));
}

function moreThan(most: number, count: number, what: string): string[] {
  return count > most ? ['', `… and ${count - most} more ${what}, which the log names.`] : [];
}

export interface SummaryWriter {
  /** Shows `markdown` in the place of what was shown before. Throws when the file does not take it. */
  show(markdown: string): void;
}

/** Writes behind what the file held at first; a second showing replaces the first. */
export function createSummaryWriter(files: Files, path: string | undefined): SummaryWriter {
  if (path === undefined || path === '') return { show: () => undefined };
  let before: string | undefined;
  return {
    show(markdown) {
      before ??= files.read(path) ?? '';
      files.write(path, `${before}${markdown}\n`);
    },
  };
}
