import { writeFailure } from '../../base/file-errors.ts';
import { neutral } from '../../base/safe-text.ts';
import type { Environment } from '../inputs/input-table.ts';
import { MOST_ANNOTATIONS } from '../report/annotations.ts';
import { plainMarkdown, upTo } from '../report/summary/markdown.ts';
import type { Ending } from '../report/words.ts';
import { appendToSummary } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';
import type { Toolkit } from '../runner/toolkit.ts';

/** The runner ignores a summary of more than 1 MiB, and nobody reads as much as this. */
const SUMMARY_BYTES = 200_000;

/** What people see of a post step: nothing, if it did nothing. */
export interface PostReport {
  /** Prints a line. */
  line(text: string): void;
  /** Prints an ending, as a warning if it needs attention. */
  tell(ending: Ending): void;
  /** Prints the lines that had to wait for the warnings, and appends all endings to the job summary, if there is to be one. */
  end(hasSummary: boolean): void;
}

/** The most endings without a warning that are printed at once. Of hundreds, the others wait for the warnings. */
const MOST_AT_ONCE = 20;

export function createPostReport(parts: {
  readonly env: Environment;
  readonly files: Files;
  readonly toolkit: Pick<Toolkit, 'annotate'>;
  readonly print: (line: string) => void;
}): PostReport {
  const told: string[] = [];
  const later: string[] = [];
  let quiet = 0;
  let warnings = 0;
  const line = (text: string): void => parts.print(neutral(text));
  const warn = (message: string): void => parts.toolkit.annotate('warning', 'run-pipeline', message);
  return {
    line,
    tell({ level, line: first, advice }) {
      const all = [first, ...advice];
      told.push(all.join(' '));
      if (level === undefined) {
        quiet += 1;
        if (quiet > MOST_AT_ONCE) later.push(all.join(' '));
        else line(all.join(' '));
        return;
      }
      warnings += 1;
      if (warnings <= MOST_ANNOTATIONS) {
        warn(all.join('\n'));
        return;
      }
      if (warnings === MOST_ANNOTATIONS + 1) warn('More runs need attention. The log names each of them.');
      line(all.join(' '));
    },
    end(hasSummary) {
      for (const text of later) line(text);
      const path = parts.env['GITHUB_STEP_SUMMARY'] ?? '';
      if (told.length === 0 || path === '' || !hasSummary) return;
      const lines = upTo(
        SUMMARY_BYTES,
        told.map((text) => `- ${plainMarkdown(text, 1_000)}`),
      );
      const cut = told.length - lines.length;
      const more = cut === 0 ? '' : `\n… and ${cut} more, which the log names.\n`;
      try {
        const text = `\n### Pipeline run: after the job\n\n${lines.join('\n')}\n${more}\n`;
        appendToSummary(parts.files, path, text);
      } catch (error) {
        warn(writeFailure('the job summary', error, 'The log has all of it.'));
      }
    },
  };
}
