// Scenes, and the form in which error-texts.txt shows their texts.
import type { Annotation, Inputs } from '../../support/action.ts';
import { playStep, STEP_FILES, type StepOptions } from '../../support/step.ts';
import { LINE_BREAK } from './table.ts';

/** One or several steps in the same situation, with the texts that they show. */
export interface Scene {
  /** The situation, which is the heading in the table. */
  readonly when: string;
  readonly play: () => Promise<readonly string[]>;
}

/** The annotations of steps that differ in their options. */
export function steps(when: string, ...variants: readonly StepOptions[]): Scene {
  return {
    when,
    async play() {
      const played = await Promise.all(variants.map(playStep));
      return played.flatMap(({ annotations }) => shortened(annotations.map(textOf)));
    },
  };
}

/** The annotations of steps that differ in their inputs. */
export function inputs(when: string, ...variants: readonly Inputs[]): Scene {
  return steps(when, ...variants.map((each) => ({ inputs: each })));
}

/** The lines of a log before the first run, and the rest. */
async function logOf(options?: StepOptions): Promise<readonly (readonly string[])[]> {
  const { lines } = await playStep(options);
  const first = lines.findLastIndex((line) => /^(?:On cancel|Hosts): /.test(line)) + 1;
  return [lines.slice(0, first).map(lineOf), shortened(lines.slice(first).map(lineOf))];
}

/** The lines of the log before the first run that a step without options does not have. */
export function announcement(when: string, options?: StepOptions): Scene {
  return {
    when: `log: ${when}`,
    async play() {
      const [[usual = []], [lines = []]] = await Promise.all([options === undefined ? [] : logOf(), logOf(options)]);
      return shortened(lines.filter((line) => !usual.includes(line)));
    },
  };
}

/** The log of a step from the first run on. */
export function log(when: string, options: StepOptions): Scene {
  return { when: `log: ${when}`, play: async () => (await logOf(options))[1] ?? [] };
}

const CHART = /(?<=^```mermaid\n)[\s\S]*?(?=^```$)/m;

/** The output `message`, and the summary without its chart. */
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

/** Level and title in brackets, then the message. Every title begins with the name of the action. */
export function textOf({ level, title, message }: Annotation): string {
  return `[${level}${title.replace(/^run-pipeline/, '')}] ${message.replaceAll('\n', LINE_BREAK)}`;
}

export function lineOf(line: string): string {
  return `> ${line}`;
}

/** Counts texts that differ from the one before them only in numbers. */
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
