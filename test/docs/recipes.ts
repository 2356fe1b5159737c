// Parses the recipes in docs/recipes.md and their workflows.
import { parse } from 'yaml';
import { documentAt, section } from './documents.ts';

export interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
}

export interface Job {
  readonly name?: string;
  readonly if?: string;
  readonly needs?: string | readonly string[];
  readonly uses?: string;
  readonly environment?: string;
  readonly concurrency?: Concurrency;
  readonly env?: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
  readonly strategy?: unknown;
  readonly 'timeout-minutes'?: number;
}

export interface Concurrency {
  readonly group: string;
  readonly 'cancel-in-progress'?: boolean;
  readonly queue?: string;
}

export interface Workflow {
  readonly on: unknown;
  readonly permissions?: unknown;
  readonly concurrency?: Concurrency;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** A section of docs/recipes.md. */
export interface Recipe {
  readonly heading: string;
  /** Everything under the heading. */
  readonly text: string;
  /** The YAML blocks under the heading. If a workflow calls the others, it is in the last block. */
  readonly workflows: readonly [string, ...string[]];
}

export const page = documentAt('docs/recipes.md');

export const recipes: readonly Recipe[] = [...page.prose.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => {
  const text = section(page, heading);
  const [first, ...others] = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml = '']) => yaml);
  if (first === undefined) throw new Error(`The recipe "${heading}" contains no workflow.`);
  return { heading, text, workflows: [first, ...others] as const };
});

/** The recipe with this heading. */
export function recipeOf(heading: string): Recipe {
  const found = recipes.find((recipe) => recipe.heading === heading);
  if (found === undefined) throw new Error(`There is no recipe "${heading}".`);
  return found;
}

export function workflowOf(yaml: string): Workflow {
  return parse(yaml) as Workflow;
}

export const stepsOf = ({ jobs }: Workflow): readonly Step[] => Object.values(jobs).flatMap(({ steps }) => steps ?? []);

/** The folder of this repository's action that a step uses, or undefined for any other step. */
export function folderOf({ uses = '' }: Pick<Step, 'uses'>): string | undefined {
  const found = /^OWNER\/run-pipeline(?:\/([^@]+))?@/.exec(uses);
  return found === null ? undefined : (found[1] ?? '');
}
