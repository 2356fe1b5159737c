import { editDistance } from '../base/distance.ts';
import type { Environment } from '../base/environment.ts';
import { listed, oneLine } from '../base/text.ts';
import type { World } from '../world.ts';
import { mask } from './client.ts';
import type { InputName } from './input-table.ts';

/* Inputs that an action does not declare. The runner still passes them to the action, and only prints a warning. */

const PREFIX = 'INPUT_';
const LONGEST_SHOWN = 60;

/** What the user needs to know about undeclared inputs. */
interface Found {
  /** One or more sentences for each input that is probably misspelled. */
  readonly mistakes: readonly string[];
  /** The inputs that the user probably meant. */
  readonly meant: readonly InputName[];
  /** Sentences about inputs without effect. */
  readonly remarks: readonly string[];
}

/**
 * Looks for inputs that an action does not declare, by the names of their variables. One that resembles a declared
 * input is a mistake, because the step would not do what the user wants. Masks values that look like an API key.
 */
export function findUndeclared({ env, toolkit }: Pick<World, 'env' | 'toolkit'>, names: readonly InputName[]): Found {
  const undeclared = undeclaredIn(env, names);
  for (const { value } of undeclared)
    for (const line of value.split(/[\r\n]/).filter((each) => each.startsWith('ak_'))) mask({ toolkit }, line);
  const misspelled = undeclared.flatMap(({ name }) => {
    const meant = mostSimilar(name, names);
    return meant === undefined ? [] : [{ name, meant }];
  });
  const others = undeclared.map(({ name }) => name).filter((name) => !misspelled.some((each) => each.name === name));
  const remarks = others.length === 0 ? [] : [withoutEffect(others)];
  return passesForeignInputs(env)
    ? { mistakes: [], meant: [], remarks: [...misspelled.map(probablyForeign), ...remarks] }
    : { mistakes: misspelled.map(mistakeIn), meant: misspelled.map(({ meant }) => meant), remarks };
}

interface Undeclared {
  /** The name in lower case. The runner has replaced spaces with underscores. */
  readonly name: string;
  readonly value: string;
}

/** Returns the undeclared inputs that are not empty, in alphabetical order. */
function undeclaredIn(env: Environment, names: readonly InputName[]): Undeclared[] {
  const declared: readonly string[] = names;
  return Object.keys(env)
    .filter((variable) => variable.toUpperCase().startsWith(PREFIX))
    .map((variable) => ({ name: variable.slice(PREFIX.length).toLowerCase(), value: (env[variable] ?? '').trim() }))
    .filter(({ name, value }) => name !== '' && value !== '' && !declared.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * What other actions call an input, or how people misspell it. A name without separators matches every spelling. A name
 * with hyphens matches only this spelling, because a workflow may set such an environment variable for other programs,
 * such as INPUT_RETRY_COUNT.
 */
const NAMES_ELSEWHERE: ReadonlyMap<string, InputName> = new Map([
  ['apitoken', 'api-key'],
  ['check-only', 'dry-run'],
  ['fail-on-warning', 'succeed-on'],
  ['full-reset', 'full-resync'],
  ['fullrefresh', 'full-resync'],
  ['max-concurrency', 'max-parallel'],
  ['max-wait', 'timeout'],
  ['maxretries', 'max-attempts'],
  ['pipelineid', 'pipeline'],
  ['pipelineids', 'pipeline'],
  ['pipelinename', 'pipeline'],
  ['plan-only', 'dry-run'],
  ['poll-frequency', 'poll-interval'],
  ['polling-interval', 'poll-interval'],
  ['reset-tables', 'reset-target'],
  ['resync', 'full-resync'],
  ['retries', 'max-attempts'],
  ['retry-count', 'max-attempts'],
  ['runid', 'job-id'],
  ['sucess-on', 'succeed-on'],
  ['timeout-in-minutes', 'timeout'],
  ['timeout-in-seconds', 'timeout'],
  ['timeoutminutes', 'timeout'],
  ['timeoutseconds', 'timeout'],
  ['validate-only', 'dry-run'],
  ['wait-for-completion', 'wait'],
  ['wait-for-run', 'wait'],
  ['wait-timeout', 'timeout'],
]);

/** Returns the declared name that the user probably meant, if there is one. Separators do not count. */
function mostSimilar(name: string, names: readonly InputName[]): InputName | undefined {
  const letters = lettersOf(name);
  const meant = NAMES_ELSEWHERE.get(name) ?? NAMES_ELSEWHERE.get(letters);
  if (meant !== undefined && names.includes(meant)) return meant;
  const similar = names
    .map((declared) => ({ declared, distance: editDistance(letters, lettersOf(declared)) }))
    // In a short name, two edits could turn one word into another.
    .filter(({ declared, distance }) => distance <= (Math.min(letters.length, lettersOf(declared).length) > 5 ? 2 : 1));
  return similar.sort((a, b) => a.distance - b.distance)[0]?.declared;
}

function lettersOf(name: string): string {
  return name.replace(/[-_ ]/g, '');
}

/** Returns whether the runner passes the inputs of a composite action to the steps inside it, as those of act do. */
function passesForeignInputs(env: Environment): boolean {
  return ['ACT', 'GITEA_ACTIONS', 'FORGEJO_ACTIONS'].some((name) => (env[name] ?? '') !== '');
}

interface Misspelled {
  readonly name: string;
  readonly meant: InputName;
}

function mistakeIn({ name, meant }: Misspelled): string {
  const text = `Input ${shown(name)} does not exist. Use ${meant} instead.`;
  // The `env` key of a workflow also sets variables, but people rarely write hyphens there.
  if (name.includes('-')) return text;
  return `${text} If the step does not set this input, remove the environment variable ${PREFIX}${shown(name).toUpperCase()}.`;
}

function probablyForeign({ name, meant }: Misspelled): string {
  return `${withoutEffect([name])} If it is not an input of the surrounding composite action, use ${meant} instead.`;
}

function withoutEffect(names: readonly string[]): string {
  const which = listed(names.map(shown));
  return names.length === 1
    ? `Input ${which} has no effect because this action has no such input.`
    : `Inputs ${which} have no effect because this action has no such inputs.`;
}

function shown(name: string): string {
  return oneLine(name, LONGEST_SHOWN);
}
