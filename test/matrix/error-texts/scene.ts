// Defines scenes, and the format in which error-texts.txt shows their texts.
import type { Annotation, Inputs } from '../../support/action.ts';
import { playStep, STEP_FILES, type StepOptions } from '../../support/step.ts';
import { LINE_BREAK } from './table.ts';

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
      return played.flatMap(({ annotations }) => annotations.map(textOf));
    },
  };
}

/** Shows the annotations of steps that differ in their inputs. */
export function inputs(when: string, ...variants: readonly Inputs[]): Scene {
  return steps(when, ...variants.map((each) => ({ inputs: each })));
}

/** Splits a log into the lines before the first run and the remaining lines. */
async function logOf(options?: StepOptions): Promise<Readonly<Record<'before' | 'runs', readonly string[]>>> {
  const { lines } = await playStep(options);
  const first = lines.findLastIndex((line) => /^(?:On cancellation|Hosts): /.test(line)) + 1;
  return { before: lines.slice(0, first).map(lineOf), runs: lines.slice(first).map(lineOf) };
}

/** Returns the lines of a log, except those that a step without options prints with other numbers. */
async function unusual(part: 'before' | 'runs', options?: StepOptions): Promise<readonly string[]> {
  const usual = options === undefined ? [] : (await logOf())[part].map(shapeOf);
  return (await logOf(options))[part].filter((line) => !usual.includes(shapeOf(line)));
}

/** Returns a function that creates scenes with the unusual lines of a part of the log, for steps that differ. */
const showing =
  (part: 'before' | 'runs') =>
  (when: string, ...variants: readonly (StepOptions | undefined)[]): Scene => {
    const play = async () => (await Promise.all(variants.map((each) => unusual(part, each)))).flat();
    return { when: `log: ${when}`, play };
  };

/** Shows the lines before the first run. */
export const announcement = showing('before');

/** Shows the lines from the first run on. */
export const log = showing('runs');

/** A chart, except its title and the format of its dates. */
const CHART = /(?<=^```mermaid\n)[\s\S]*?(?=^accTitle)|(?<=^dateFormat.*\n)[\s\S]*?(?=^```$)/gm;

/** Shows the output `message` and the summary without its chart, followed by other scenes of the same step. */
export function summary(when: string, options: StepOptions, ...others: readonly Scene[]): Scene {
  return {
    when: `summary: ${when}`,
    async play() {
      const { outputs, files } = await playStep(options);
      const lines = files.text(STEP_FILES.summary).replace(CHART, '…\n').trim().split(/\n+/);
      const more = await Promise.all(others.map(({ play }) => play()));
      return [`[message] ${outputs['message'] ?? ''}`, ...lines.map(lineOf), ...more.flat()];
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

/** Replaces numbers, and durations such as `3m 2s`. */
function shapeOf(text: string): string {
  return text.replace(/\d+(?:[hm] \d+)*/g, '#');
}

/** Merges and counts texts that differ only in numbers. */
export function shortened(texts: readonly string[]): readonly string[] {
  const groups = Map.groupBy(texts, shapeOf).values();
  return Array.from(groups, ([text = '', ...others]) =>
    others.length === 0 ? text : `${text} (${others.length} more like this)`,
  );
}
