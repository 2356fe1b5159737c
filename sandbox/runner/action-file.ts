import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml, type Yaml, type YamlMap } from './yaml.ts';

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
  const file = parseYaml(readFileSync(join(folder, 'action.yml'), 'utf8'));
  const runs = mapIn(file, 'runs');
  const main = textIn(runs, 'main');
  if (main === undefined || textIn(runs, 'using')?.startsWith('node') !== true) {
    throw new Error(`${folder}: action.yml does not define a JavaScript action`);
  }
  const inputs = [...mapIn(file, 'inputs')].map(
    ([name, input]) => [name, typeof input === 'string' ? undefined : textIn(input, 'default')] as const,
  );
  return {
    inputs: new Map(inputs),
    outputs: [...mapIn(file, 'outputs').keys()],
    main,
    post: textIn(runs, 'post'),
    postIf: textIn(runs, 'post-if') ?? 'always()',
  };
}

const NOTHING: YamlMap = new Map();

function mapIn(map: YamlMap, key: string): YamlMap {
  const value: Yaml = map.get(key) ?? NOTHING;
  return typeof value === 'string' ? NOTHING : value;
}

function textIn(map: YamlMap, key: string): string | undefined {
  const value = map.get(key);
  return typeof value === 'string' ? value : undefined;
}
