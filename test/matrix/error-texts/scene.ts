// Defines scenes, and the format in which error-texts.txt shows their texts.
import { journalPath } from '../../../src/action/state/journals.ts';
import type { Annotation, Inputs } from '../../support/action.ts';
import { playStep, STEP_FILES, type StepOptions } from '../../support/step.ts';
import { LINE_BREAK } from './table.ts';

/** The files to which main writes its state. */
export const ALL_FILES = [STEP_FILES.state, journalPath({ RUNNER_TEMP: STEP_FILES.temp }, 4_711, 0.5)];

/** One or more steps in the same situation, with the texts that they show. */
export interface Scene {
  /** The situation, which serves as the heading in the table. */
  readonly when: string;
  readonly play: () => Promise<readonly string[]>;
}

/** Shows the annotations of steps that differ in their options. */
export function steps(when: string, ...variants: readonly StepOptions[]): Scene {
  return {
    when,
    async play() {
      const played = await Promise.all(variants.map(playStep));
      return played.flatMap(({ annotations }) => shortened(annotations.map(textOf)));
    },
  };
}

/** Shows the annotations of steps that differ in their inputs. */
export function inputs(when: string, ...variants: readonly Inputs[]): Scene {
  return steps(when, ...variants.map((each) => ({ inputs: each })));
}

/** Splits a log into the lines before the first run and the remaining lines. */
async function logOf(options?: StepOptions): Promise<readonly (readonly string[])[]> {
  const { lines } = await playStep(options);
  const first = lines.findLastIndex((line) => /^(?:On cancellation|Hosts): /.test(line)) + 1;
  return [lines.slice(0, first).map(lineOf), shortened(lines.slice(first).map(lineOf))];
}

/** Shows the lines before the first run, except those that a step without options also prints. */
export function announcement(when: string, options?: StepOptions): Scene {
  return {
    when: `log: ${when}`,
    async play() {
      const [[usual = []], [lines = []]] = await Promise.all([options === undefined ? [] : logOf(), logOf(options)]);
      return shortened(lines.filter((line) => !usual.includes(line)));
    },
  };
}

/** Shows the log of a step, starting with the first run. */
export function log(when: string, options: StepOptions): Scene {
  return { when: `log: ${when}`, play: async () => (await logOf(options))[1] ?? [] };
}

const CHART = /(?<=^```mermaid\n)[\s\S]*?(?=^```$)/m;

/** Shows the output `message`, and the summary without its chart. */
export function summary(when: string, options: StepOptions): Scene {
  return {
    when: `summary: ${when}`,
    async play() {
      const { outputs, files } = await playStep(options);
      const lines = files.text(STEP_FILES.summary).replace(CHART, '…\n').trim().split(/\n+/);
      return [`message=${outputs['message'] ?? ''}`, ...shortened(lines.map(lineOf))];
    },
  };
}

/** Formats an annotation as level and title in brackets, then the message. Titles start with the name of the action. */
export function textOf({ level, title, message }: Annotation): string {
  return `[${level}${title.replace(/^run-pipeline/, '')}] ${message.replaceAll('\n', LINE_BREAK)}`;
}

export function lineOf(line: string): string {
  return `> ${line}`;
}

/** Merges and counts consecutive texts that differ only in numbers. */
export function shortened(texts: readonly string[]): readonly string[] {
  const shapeOf = (text = ''): string => text.replace(/\d+/g, '#');
  return texts.flatMap((text, at) => {
    if (shapeOf(text) === shapeOf(texts[at - 1])) return [];
    const rest = texts.slice(at + 1);
    const other = rest.findIndex((next) => shapeOf(next) !== shapeOf(text));
    const alike = other < 0 ? rest.length : other;
    return alike === 0 ? [text] : [text, `(${alike} more like this)`];
  });
}
