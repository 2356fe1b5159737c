import { formatDuration } from '../base/duration.ts';
import { outcomeOf, statusOf } from '../run/outcome.ts';
import type { Plan } from '../run/plan.ts';
import type { RunState } from '../run/run-state.ts';
import { endingOf } from './ending.ts';
import type { Files } from './files.ts';
import { plainMarkdown, table } from './markdown.ts';
import { nameOf } from './words.ts';

/** The job summary: what became of each run, as a table, and what to do about it. */
export function summaryOf(runs: readonly RunState[], plan: Plan, problems: readonly string[]): string {
  const rows = runs.map((run) => [
    plainMarkdown(nameOf(run)),
    run.jobId === undefined ? '–' : `\`${run.jobId}\``,
    plainMarkdown(statusOf(run)),
    plainMarkdown(outcomeOf(run, plan)),
    run.startedAt === undefined || run.endedAt === undefined
      ? '–'
      : formatDuration(run.endedAt - run.startedAt),
  ]);
  const endings = runs.map((run) => endingOf(run, plan));
  const notes = [
    ...problems,
    ...(problems.length > 0 ? [] : endings.map(({ line, advice }) => [line, ...advice].join(' '))),
  ];
  return [
    '### Pipeline run',
    '',
    table(['Pipeline', 'Run', 'Status', 'Outcome', 'Duration'], rows),
    '',
    ...notes.map((note) => `${plainMarkdown(note, 1_000)}\n`),
    '',
  ].join('\n');
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
