import { formatDuration, parseDuration } from '../../base/duration.ts';
import { quoted } from '../../base/safe-text.ts';
import { defaultOf, type Environment, type InputName, inputOf } from './input-table.ts';

/** Timers last at most 24.8 days (31 bits of milliseconds), and no job runs that long. */
const MAX_DURATION_MS = 24 * 86_400_000;
/** Minimum length in characters of a key to look for in other inputs. They might contain a shorter key by chance. */
const MIN_SECRET_LENGTH = 8;

/** Reads inputs one by one and collects their mistakes, so that the user sees them all at once. */
export class InputReader {
  /** At least one sentence for each mistake. */
  readonly mistakes: string[] = [];
  readonly #env: Environment;
  readonly #containsKey = new Set<InputName>();

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Reports a mistake in an input and how to correct it. */
  mistake(name: InputName, whatAndHow: string): void {
    // If an input contains the key, `text` returns its default, and an invalid default is not the user's mistake.
    if (!this.#containsKey.has(name)) this.mistakes.push(`Input ${name} ${whatAndHow}`);
  }

  /** Like `mistake`, but hides text that contains an @, because a password may precede the @. */
  wrongAddress(name: InputName, why: string, how: string): void {
    const text = this.text(name);
    this.mistake(name, `${text.includes('@') ? why : `is ${quoted(text)}, which ${why}`}. ${how}`);
  }

  /** Returns an input's text, or its default if the input is empty or contains the API key, which must stay hidden. */
  text(name: InputName): string {
    const given = inputOf(this.#env, name);
    const key = inputOf(this.#env, 'api-key');
    if (name !== 'api-key' && key.length >= MIN_SECRET_LENGTH && given.includes(key)) {
      this.mistake(name, 'contains the API key, which the log would show. Set the key in api-key only.');
      this.#containsKey.add(name);
      return defaultOf(name);
    }
    return given === '' ? defaultOf(name) : given;
  }

  isGiven(name: InputName): boolean {
    return inputOf(this.#env, name) !== '';
  }

  /** Reads a boolean as defined by YAML 1.2's core schema, as @actions/core does. Returns false after a mistake. */
  boolean(name: InputName): boolean {
    const text = this.text(name);
    const isBoolean = /^(?:true|True|TRUE|false|False|FALSE)$/.test(text);
    if (!isBoolean) this.mistake(name, `is ${quoted(text)}. Set it to true or false.`);
    return isBoolean && text.toLowerCase() === 'true';
  }

  /** Reads one of the choices. Returns the first choice after a mistake. */
  choice<Choice extends string>(name: InputName, choices: readonly [Choice, ...Choice[]]): Choice {
    const text = this.text(name);
    const chosen = choices.find((choice) => choice === text);
    if (chosen === undefined) this.mistake(name, `is ${quoted(text)}. Set it to ${listed(choices, 'or')}.`);
    return chosen ?? choices[0];
  }

  /** Reads a duration in ms. Returns undefined after a mistake, or if the input is empty and has no default. */
  duration(name: InputName): number | undefined {
    const text = this.text(name);
    if (text === '') return undefined;
    const ms = parseDuration(text);
    if (ms !== undefined && ms > 0 && ms <= MAX_DURATION_MS) return ms;
    let problem = '. Set it to a duration such as 90s, 15m or 1h30m.';
    if (/^\d+(?:\.\d+)?$/.test(text)) problem = `, which has no unit. Set it to ${text}s, ${text}m or ${text}h.`;
    if (ms !== undefined || Number(text) === 0) {
      const why = (ms ?? 0) === 0 ? 'zero' : `more than ${formatDuration(MAX_DURATION_MS)}`;
      const example = defaultOf(name) === '' ? '45m, or leave out this input for no limit' : defaultOf(name);
      problem = `, which is ${why}. Set it to a duration such as ${example}.`;
    }
    this.mistake(name, `is ${quoted(text)}${problem}`);
    return undefined;
  }

  /** Returns the trimmed, nonempty entries of a list, by default one per line. */
  list(name: InputName, separator = /[\r\n]/): string[] {
    const entries = this.text(name).split(separator);
    return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
  }
}

/** Joins words as in `a, b or c`. */
export function listed(words: readonly string[], conjunction: 'and' | 'or'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/** Joins strings as in `"a", "b" and "c"`, each shortened to `maxLength` characters. */
export function quotedList(texts: readonly string[], maxLength?: number): string {
  const all = texts.map((text) => quoted(text, maxLength));
  return listed(all, 'and');
}
