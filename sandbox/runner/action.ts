/** What a runner reads in `action.yml`, and the files that it needs from an action. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The parts of action.yml that a runner uses. */
export interface ActionFile {
  /** The default of each input by name, or undefined if the input has none. */
  readonly inputs: ReadonlyMap<string, string | undefined>;
  /** Paths relative to the action's folder. */
  readonly main: string;
  readonly post: string | undefined;
  readonly postIf: string;
}

interface Yaml {
  readonly inputs?: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs?: {
    readonly using?: string;
    readonly main?: string;
    readonly post?: string;
    readonly 'post-if'?: string;
  };
}

/** Reads `action.yml` in a folder. @throws if it does not describe a JavaScript action */
export function readActionFile(folder: string): ActionFile {
  // With this schema, all values are text, as they are for a runner.
  const file = parse(readFileSync(join(folder, 'action.yml'), 'utf8'), { schema: 'failsafe' }) as Yaml;
  const { using, main, post, 'post-if': postIf = 'always()' } = file.runs ?? {};
  if (main === undefined || using?.startsWith('node') !== true) {
    throw new Error(`${folder}: action.yml does not define a JavaScript action`);
  }
  const inputs = Object.entries(file.inputs ?? {}).map(([name, input]) => [name, input.default] as const);
  return { inputs: new Map(inputs), main, post, postIf };
}

/** The values of `job.status`. */
export type JobStatus = 'success' | 'failure' | 'cancelled';

/** Evaluates the expressions in an input's default. @throws for any expression other than `job.status` */
export function evaluate(text: string, jobStatus: JobStatus): string {
  return text.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) => {
    if (expression.trim() !== 'job.status') throw new Error(`cannot evaluate ${expression.trim()}`);
    return jobStatus;
  });
}

/** Evaluates the `post-if` condition. @throws unless it is a status function, which can be negated */
export function holds(condition: string, jobStatus: JobStatus): boolean {
  const [, not, name] = /^(!?)(always|success|failure|cancelled)\(\)$/.exec(condition.trim()) ?? [];
  if (name === undefined) throw new Error(`cannot evaluate ${condition}`);
  return (name === 'always' || name === jobStatus) !== (not === '!');
}

export interface InstalledAction {
  readonly folder: string;
  readonly remove: () => void;
}

/**
 * Copies the files that a runner needs from an action into a separate folder. No parent of that folder contains
 * node_modules, so an incomplete bundle fails.
 */
export function installAction(repository: string): InstalledAction {
  const folder = mkdtempSync(join(tmpdir(), 'action-'));
  for (const name of ['action.yml', 'cancel', 'dist']) {
    cpSync(join(repository, name), join(folder, name), { recursive: true });
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
