import type { Annotation, Inputs } from '../../support/action.ts';
import { type PlayedStep, playStep, type StepOptions } from '../../support/step.ts';

/** Something that goes wrong, and what people then see. */
export interface Scene {
  /** What goes wrong, in a few words: the heading under which the text stands. */
  readonly when: string;
  readonly play: () => Promise<readonly string[]>;
}

/** A step with these inputs, which never asks the service for anything. */
export function withInputs(when: string, inputs: Inputs): Scene {
  return step(when, { inputs });
}

/** A step, and all of its annotations. */
export function step(when: string, options: StepOptions): Scene {
  return { when, play: async () => annotationsOf(await playStep(options)) };
}

function annotationsOf({ annotations }: PlayedStep): readonly string[] {
  return annotations.map(textOf);
}

/** An annotation as the table has it: level and title on a line of their own, the text below. */
export function textOf({ level, title, message }: Annotation): string {
  return `[${level}] ${title}\n${message}`;
}
