import { writeFailure } from '../../base/file-errors.ts';
import { neutral, oneLine } from '../../base/safe-text.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { Problem } from '../../service/api.ts';
import type { Environment } from '../inputs/input-table.ts';
import { MOST_ANNOTATIONS } from '../report/annotations.ts';
import { plainMarkdown, upTo } from '../report/summary/markdown.ts';
import { CANCEL_THERE, cap, endedHow, failureOf, remedyOf } from '../report/words.ts';
import { appendToSummary } from '../runner/file-access.ts';
import type { Files } from '../runner/files.ts';
import type { Toolkit } from '../runner/toolkit.ts';

/** Of a summary of more than 1 MiB the runner takes nothing, and nobody reads as much as this. */
const SUMMARY_BYTES = 200_000;

/** What people see of a post step: nothing, when it did nothing. */
export interface PostReport {
  line(text: string): void;
  warn(line: string, advice: readonly string[]): void;
  settled(run: RunState): void;
  unsettled(run: RunState, problem: Problem): void;
  left(run: RunState): void;
  /** Main had stopped waiting for it and left it, for whatever reason, and nobody was told. */
  goesOn(run: RunState): void;
  intent(run: RunState): void;
  /** Prints what had to wait for the warnings, and writes all that was said to the job summary. */
  end(): void;
}

/** Lines about runs that need no attention: of hundreds, the others wait until all warnings are printed. */
const MOST_AT_ONCE = 20;

export function createPostReport(parts: {
  readonly env: Environment;
  readonly files: Files;
  readonly toolkit: Toolkit;
  readonly print: (line: string) => void;
}): PostReport {
  const said: string[] = [];
  const later: string[] = [];
  let quiet = 0;
  let warnings = 0;
  const line = (text: string): void => parts.print(neutral(text));
  const say = (text: string): void => {
    quiet += 1;
    said.push(text);
    if (quiet > MOST_AT_ONCE) later.push(text);
    else line(text);
  };
  const warn = (first: string, advice: readonly string[]): void => {
    warnings += 1;
    said.push([first, ...advice].join(' '));
    if (warnings <= MOST_ANNOTATIONS) {
      parts.toolkit.annotate('warning', 'run-pipeline', [first, ...advice].join('\n'));
      return;
    }
    if (warnings === MOST_ANNOTATIONS + 1) parts.toolkit.annotate('warning', 'run-pipeline', MORE);
    line([first, ...advice].join(' '));
  };
  return {
    line,
    warn,
    settled(run) {
      const { status = '' } = run;
      const before = status === 'cancelled' ? '' : ' before it could be cancelled';
      const heartbeat =
        status === 'cancelled' ? ' Its agent stops at its next heartbeat, within seconds.' : '';
      say(`${cap(runOf(run))} ${endedHow(status)}${before}.${heartbeat}`);
    },
    unsettled(run, problem) {
      warn(`The cancel of ${runOf(run)} is not confirmed, and it may still be going on.`, [
        failureOf(problem),
        ...remedyOf(problem),
        CANCEL_THERE,
      ]);
    },
    left: (run) => say(`${cap(runOf(run))} is left running, because on-cancel is leave.`),
    goesOn(run) {
      warn(`${cap(runOf(run))} was left running: the step had stopped waiting for it before it was killed.`, [
        'Nothing cancels it from here. Look at it in the application.',
      ]);
    },
    intent(run) {
      const at = run.intentWall === undefined ? '' : ` at ${timeOf(run.intentWall)}`;
      warn(
        `A run of ${pipelineOf(run)} may be going on: it was triggered${at}, but the step ended before an answer came.`,
        [
          'Without its id it cannot be cancelled from here: look at the runs of this pipeline in the application.',
        ],
      );
    },
    end() {
      for (const text of later) line(text);
      const path = parts.env['GITHUB_STEP_SUMMARY'] ?? '';
      if (said.length === 0 || path === '') return;
      const lines = upTo(
        SUMMARY_BYTES,
        said.map((text) => `- ${plainMarkdown(text, 1_000)}`),
      );
      const cut = said.length - lines.length;
      const more = cut === 0 ? '' : `\n… and ${cut} more, which the log names.\n`;
      try {
        const text = `\n### Pipeline run: after the job\n\n${lines.join('\n')}\n${more}\n`;
        appendToSummary(parts.files, path, text);
      } catch (error) {
        const failed = writeFailure('the job summary', error, 'The log has all of it.');
        parts.toolkit.annotate('warning', 'run-pipeline', failed);
      }
    },
  };
}

const MORE = 'More runs need attention. The log names each of them.';

function runOf(run: RunState): string {
  const which = run.jobId === undefined ? 'a run' : `run ${run.jobId}`;
  const pipeline = pipelineOf(run);
  return pipeline === '' ? which : `${which} of ${pipeline}`;
}

/** Empty for a run that was given by its id. */
function pipelineOf({ pipeline }: RunState): string {
  const [id, name] = [pipeline?.id ?? '', oneLine(pipeline?.name ?? '', 80)];
  return name === '' ? id : `${name} (${id})`;
}

/** A clock that is off must not cost the warning. */
function timeOf(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString();
}
