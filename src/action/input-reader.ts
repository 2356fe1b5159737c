import { formatDuration, parseDuration } from '../base/duration.ts';
import { listed, quoted, SHORTEST_SECRET } from '../base/text.ts';
import { isFinalStatus } from '../service/statuses.ts';
import type { World } from '../world.ts';
import { type ChoiceOf, declared, INPUTS, type InputName, type NameOf } from './input-table.ts';

/** The longest allowed duration. Timers last at most 24.8 days (31 bits of milliseconds), and no job runs that long. */
const LONGEST_MS = 24 * 86_400_000;
const LONGEST_ENTRY = 80;

/** Reads inputs one by one and collects all mistakes, so that the user sees them together. */
export class InputReader {
  /** One or more sentences for each mistake. */
  readonly mistakes: string[];
  readonly #toolkit: Pick<World['toolkit'], 'getInput'>;
  /** The inputs about which a mistake has said enough, so that any further one would only repeat the cause. */
  readonly #explained: Set<InputName>;

  /** `mistakes` were found earlier, and are listed first. They explain why the inputs in `explained` are empty. */
  constructor(
    toolkit: Pick<World['toolkit'], 'getInput'>,
    mistakes: readonly string[],
    explained: readonly InputName[],
  ) {
    this.#toolkit = toolkit;
    this.mistakes = [...mistakes];
    this.#explained = new Set(explained.filter((name) => !this.isGiven(name)));
  }

  /** Records what is wrong with an input and how to correct it. `whatAndHow` begins with a verb. */
  mistake(name: InputName, whatAndHow: string): void {
    if (this.isExplained(name)) return;
    const isUnevaluated = EXPRESSION.test(this.#toolkit.getInput(name));
    if (isUnevaluated) this.#explained.add(name);
    this.mistakes.push(`Input ${name} ${isUnevaluated ? UNEVALUATED : whatAndHow}`);
  }

  /** Returns whether a mistake has already said enough about an input. */
  isExplained(name: InputName): boolean {
    return this.#explained.has(name);
  }

  isGiven(name: InputName): boolean {
    return this.#toolkit.getInput(name) !== '';
  }

  /** Returns whether an input differs from its default. */
  isChanged(name: InputName): boolean {
    return this.text(name) !== defaultOf(name);
  }

  /** Returns a trimmed input, or the default if the input is empty or contains the API key, which must stay hidden. */
  text(name: InputName): string {
    const given = this.#toolkit.getInput(name);
    const key = this.#toolkit.getInput('api-key');
    if (name !== 'api-key' && key.length >= SHORTEST_SECRET && given.includes(key)) {
      this.mistake(name, 'contains the API key, which would appear in the log. Use the key only in api-key.');
      // The default replaces this value, so any further mistake is not the user's.
      this.#explained.add(name);
      return defaultOf(name);
    }
    return given === '' ? defaultOf(name) : given;
  }

  /** Returns the trimmed entries of a list, except empty ones. */
  list(name: NameOf<'lines' | 'statuses'>, separator = /[\r\n]/): string[] {
    const entries = this.text(name).split(separator);
    return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
  }

  /** Reads a YAML 1.2 boolean, as the toolkit does. */
  boolean(name: NameOf<'boolean'>): boolean {
    const text = this.text(name);
    const isBoolean = /^(?:true|True|TRUE|false|False|FALSE)$/.test(text);
    if (!isBoolean) this.mistake(name, `is ${quoted(text)}. Set it to true or false.`);
    return isBoolean && text.toLowerCase() === 'true';
  }

  /** Reads one of several words. Returns the first word if the input is invalid. */
  choice<N extends NameOf<'choice'>>(name: N): ChoiceOf<N> {
    const text = this.text(name);
    const { values } = INPUTS[name];
    const choice = values.find((each) => each === text);
    if (choice === undefined)
      this.mistake(name, `is ${quoted(text)}. Set it to ${values.map((each) => quoted(each)).join(' or ')}.`);
    return choice ?? values[0];
  }

  /** Reads a duration in milliseconds. Returns Infinity for an empty input without a default. */
  duration(name: NameOf<'duration'>): number {
    const text = this.text(name);
    if (text === '') return Infinity;
    const ms = parseDuration(text) ?? NaN;
    if (ms > 0 && ms <= LONGEST_MS) return ms;
    const example = defaultOf(name) === '' ? '45m, or remove this input to wait without a limit' : defaultOf(name);
    const mistake =
      ms >= 0 || Number(text) === 0
        ? `, but ${ms > 0 ? 'the maximum is 24d' : 'it must be above zero'}. Set it to a duration such as ${example}.`
        : /^\d+(?:\.\d+)?$/.test(text)
          ? `, which has no unit. Set it to ${text}s, ${text}m or ${text}h.`
          : '. Set it to a duration such as 90s, 15m or 1h30m.';
    this.mistake(name, `is ${quoted(text)}${mistake}`);
    return Infinity;
  }

  /** Like `duration`, but requires at least `minMs`. In the message, `reason` precedes the minimum. */
  durationFrom(name: NameOf<'duration'>, minMs: number, reason: string): number {
    const ms = this.duration(name);
    const least = formatDuration(minMs);
    if (ms < minMs)
      this.mistake(name, `is ${quoted(this.text(name))}, but ${reason} ${least}. Set it to ${least} or more.`);
    return ms;
  }

  /**
   * Reads a whole number. Returns Infinity for an empty input without a default. In the message, `otherwise` describes
   * the effect of removing the input.
   */
  count(name: NameOf<'count'>, otherwise: string): number {
    const { most = Infinity } = declared(name);
    const text = this.text(name);
    if (text === '') return Infinity;
    if (/^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
    const range = most === Infinity ? 'above zero' : `from 1 to ${most}`;
    this.mistake(
      name,
      `is ${quoted(text)}, but it must be a whole number ${range}. Correct it, or remove this input ${otherwise}.`,
    );
    return 1;
  }

  /** Reads final statuses in the given order. A mistake lists the allowed statuses. */
  statuses(name: NameOf<'statuses'>): string[] {
    const statuses = [...new Set(this.list(name, /[,\r\n]/))];
    const wrong = statuses.filter((status) => !isFinalStatus(status));
    const all = INPUTS[name].values.join(', ');
    if (wrong.length > 0) this.mistake(name, `contains ${quotedList(wrong)}. Use only these statuses: ${all}.`);
    else if (statuses.length === 0) this.mistake(name, `contains no statuses. Use at least one of these: ${all}.`);
    return statuses.filter((status) => !wrong.includes(status));
  }
}

/** An expression that GitHub did not evaluate. */
export const EXPRESSION = /\$\{\{.*\}\}/s;

/** What is wrong with a value that still contains an expression, and how to correct it. */
export const UNEVALUATED =
  'contains an expression (${{ … }}) that GitHub did not evaluate. GitHub evaluates expressions only in workflow files, not in the values of variables, secrets, inputs and outputs. Write the expression directly under with.';

/** Returns an input's default, or '' if it has none or the default depends on other inputs. */
function defaultOf(name: InputName): string {
  return declared(name).default ?? '';
}

/** Lists the first few texts in quotation marks. */
export function quotedList(texts: readonly string[]): string {
  return listed(texts.map((text) => quoted(text, LONGEST_ENTRY)));
}
