import { writeFailure } from '../../base/file-errors.ts';
import { neutral } from '../../base/safe-text.ts';
import { MOST_ANNOTATIONS } from '../report/annotations.ts';
import { plainMarkdown, upTo } from '../report/summary/markdown.ts';
import type { Ending } from '../report/words.ts';
import { titleOf } from '../runner/entry-guard.ts';
import { appendToSummary } from '../runner/file-access.ts';
import type { Machine } from './machine.ts';

/** Maximum size of the summary in bytes. The runner ignores a summary above 1 MiB, and people read far less. */
const SUMMARY_BYTES = 200_000;

/** Maximum number of non-warning endings to print immediately. Post prints the rest after all warnings. */
const MOST_AT_ONCE = 20;

/** The visible report of a post step, which is empty if the step did nothing. */
export interface PostReport {
  /** Prints a line. */
  line(text: string): void;
  /** Prints an ending, as a warning if it needs attention. May delay other endings until `end`. */
  tell(ending: Ending): void;
  /** Prints the delayed endings, and appends all endings to the job summary if `hasSummary` is true. */
  end(hasSummary: boolean): void;
}

/** Creates the report of one post step. */
export function createPostReport(parts: Pick<Machine, 'env' | 'files' | 'toolkit' | 'print'>): PostReport {
  const { env, files, toolkit, print } = parts;
  const endings: string[] = [];
  const waiting: string[] = [];
  let warnings = 0;
  const line = (text: string): void => print(neutral(text));
  const warn = (message: string): void => toolkit.annotate('warning', titleOf(), message);
  return {
    line,
    tell({ level, line: first, advice }) {
      const sentences = [first, ...advice];
      const text = sentences.join(' ');
      endings.push(text);
      if (level === undefined) {
        if (endings.length - warnings > MOST_AT_ONCE) waiting.push(text);
        else line(text);
        return;
      }
      warnings += 1;
      if (warnings <= MOST_ANNOTATIONS) {
        warn(sentences.join('\n'));
        return;
      }
      if (warnings === MOST_ANNOTATIONS + 1) warn('More runs need attention. The log lists each of them.');
      line(text);
    },
    end(hasSummary) {
      waiting.forEach(line);
      const path = env['GITHUB_STEP_SUMMARY'] ?? '';
      if (endings.length === 0 || path === '' || !hasSummary) return;
      const items = endings.map((text) => `- ${plainMarkdown(text, 1_000)}`);
      const lines = upTo(SUMMARY_BYTES, items);
      const cut = items.length - lines.length;
      const more = cut === 0 ? '' : `\n… and ${cut} more, which the log lists.\n`;
      try {
        appendToSummary(files, path, `\n### After the job: pipeline runs\n\n${lines.join('\n')}\n${more}\n`);
      } catch (error) {
        warn(writeFailure('the job summary', error, 'The log contains the same information.'));
      }
    },
  };
}
