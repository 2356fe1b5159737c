import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The parts of action.yml that a runner uses. */
export interface ActionFile {
  /** The defaults by input name, which are undefined for inputs without a default. */
  readonly inputs: ReadonlyMap<string, string | undefined>;
  readonly outputs: readonly string[];
  /** Paths relative to the action's folder. */
  readonly main: string;
  readonly post: string | undefined;
  readonly postIf: string;
}

/** Reads `action.yml` in a folder. @throws if it does not describe a JavaScript action */
export function readActionFile(folder: string): ActionFile {
  // For a runner, all values are text.
  const file: unknown = parse(readFileSync(join(folder, 'action.yml'), 'utf8'), { schema: 'failsafe', mapAsMap: true });
  const runs = mapIn(file, 'runs');
  const main = textIn(runs, 'main');
  if (main === undefined || textIn(runs, 'using')?.startsWith('node') !== true) {
    throw new Error(`${folder}: action.yml does not define a JavaScript action`);
  }
  const inputs = [...mapIn(file, 'inputs')].map(([name, input]) => [String(name), textIn(input, 'default')] as const);
  return {
    inputs: new Map(inputs),
    outputs: [...mapIn(file, 'outputs').keys()].map(String),
    main,
    post: textIn(runs, 'post'),
    postIf: textIn(runs, 'post-if') ?? 'always()',
  };
}

function memberOf(map: unknown, key: string): unknown {
  return map instanceof Map ? map.get(key) : undefined;
}

function mapIn(map: unknown, key: string): ReadonlyMap<unknown, unknown> {
  const value = memberOf(map, key);
  return value instanceof Map ? value : new Map();
}

function textIn(map: unknown, key: string): string | undefined {
  const value = memberOf(map, key);
  return typeof value === 'string' ? value : undefined;
}
