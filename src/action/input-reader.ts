import { formatDuration, parseDuration } from '../base/duration.ts';
import { quoted } from '../base/safe-text.ts';
import { type Environment, inputOf } from './environment.ts';
import { defaultOf, type InputName } from './input-table.ts';

/** Timers count no further than 24.8 days (31 bits of milliseconds), and no job lasts as long. */
const LONGEST_MS = 24 * 86_400_000;

/** What is shorter than that stands in many a text by chance. */
const SHORTEST_SECRET = 8;

/** YAML 1.2's core schema, as the toolkit reads booleans. */
const TRUE = ['true', 'True', 'TRUE'];
const FALSE = ['false', 'False', 'FALSE'];

/** Reads inputs one by one and collects what is wrong with them, so that a user is told of everything at once. */
export class InputReader {
  readonly mistakes: string[] = [];
  readonly #env: Environment;
  readonly #withKey = new Set<InputName>();

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Notes a mistake: the input's name, what was given, what to write instead. */
  mistake(name: InputName, whatAndHow: string): void {
    // What is read in the place of a key says nothing.
    if (this.#withKey.has(name)) return;
    this.mistakes.push(`Input ${name} ${whatAndHow}`);
  }

  /** The text of an input; its default when it is empty, or holds the key, which would be shown with it. */
  text(name: InputName): string {
    const given = inputOf(this.#env, name);
    if (name !== 'api-key' && this.#holdsKey(given)) {
      this.mistake(name, 'contains the API key, and would be shown. Write the key into api-key alone.');
      this.#withKey.add(name);
      return defaultOf(name);
    }
    return given === '' ? defaultOf(name) : given;
  }

  #holdsKey(given: string): boolean {
    const key = inputOf(this.#env, 'api-key');
    return key.length >= SHORTEST_SECRET && given.includes(key);
  }

  isGiven(name: InputName): boolean {
    return inputOf(this.#env, name) !== '';
  }

  /** Whether an input says what it would say anyway: the runner hands defaults over like any other value. */
  isDefault(name: InputName): boolean {
    return this.text(name) === defaultOf(name);
  }

  boolean(name: InputName): boolean {
    const text = this.text(name);
    if (TRUE.includes(text)) return true;
    if (!FALSE.includes(text)) this.mistake(name, `is ${quoted(text)}. Write true or false.`);
    return false;
  }

  choice<Choice extends string>(name: InputName, choices: readonly [Choice, ...Choice[]]): Choice {
    const text = this.text(name);
    const chosen = choices.find((choice) => choice === text);
    if (chosen === undefined) this.mistake(name, `is ${quoted(text)}. Write ${listed(choices, 'or')}.`);
    return chosen ?? choices[0];
  }

  /** Milliseconds; undefined when the input is empty and has no default, and after a mistake. */
  duration(name: InputName): number | undefined {
    const text = this.text(name);
    if (text === '') return undefined;
    const ms = parseDuration(text);
    if (ms !== undefined && ms > 0 && ms <= LONGEST_MS) return ms;
    if (ms !== undefined) {
      const why = ms === 0 ? 'no time at all' : `more than ${formatDuration(LONGEST_MS)}`;
      this.mistake(name, `is ${quoted(text)}, which is ${why}. ${leaveOutHint(name)}`);
    } else if (/^\d+(?:\.\d+)?$/.test(text)) {
      this.mistake(name, `is ${quoted(text)}, without a unit. Write ${text}s, ${text}m or ${text}h.`);
    } else {
      this.mistake(name, `is ${quoted(text)}. Write a duration such as 90s, 15m or 1h30m.`);
    }
    return undefined;
  }

  /** The entries of a list with commas or lines between them; blanks are ignored. */
  list(name: InputName): string[] {
    return this.text(name)
      .split(/[,\r\n]/)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
  }

  /** The lines of an input; blank ones are ignored. */
  lines(name: InputName): string[] {
    return this.text(name)
      .split(/\r\n|\r|\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }
}

/** `a, b or c`. */
export function listed(words: readonly string[], before: 'and' | 'or'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${before} ${last}`;
}

function leaveOutHint(name: InputName): string {
  return defaultOf(name) === ''
    ? 'Write a duration such as 45m, or leave it out for no limit.'
    : `Write a duration such as ${defaultOf(name)}.`;
}
