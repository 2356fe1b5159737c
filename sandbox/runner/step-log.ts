import { type Command, commandIn } from './commands.ts';

export type Level = 'error' | 'warning' | 'notice';

/** A message that GitHub shows above a log and on the page of the workflow run. */
export interface Annotation {
  readonly level: Level;
  readonly title: string;
  readonly message: string;
}

/** The maximum number of annotations per level and step that a runner keeps, and of characters in each. */
const MOST_ANNOTATIONS = 10;
const LONGEST_ANNOTATION = 4_096;

const LEVELS: readonly string[] = ['error', 'warning', 'notice'] satisfies Level[];

function isLevel(name: string): name is Level {
  return LEVELS.includes(name);
}

/** Derives the log, the annotations and the masks of a step from its lines, as a runner does. */
export class StepLog {
  /** The lines as written, including commands and secrets. */
  readonly lines: string[] = [];
  /** The lines as shown in the log. */
  readonly shown: string[] = [];
  readonly annotations: Annotation[] = [];
  readonly commands: Command[] = [];
  readonly #masks: Set<string>;
  readonly #debug: boolean;
  #resumeToken: string | undefined;

  /** All steps of a job share `masks`. `debug` turns on debug logging. */
  constructor(masks: Set<string>, debug: boolean) {
    this.#masks = masks;
    this.#debug = debug;
  }

  /** Adds a line and returns the lines that the log shows for it. */
  take(line: string): readonly string[] {
    this.lines.push(line);
    const command = commandIn(line, this.#resumeToken);
    const shown = (command === undefined ? line : this.#obey(command, line)) ?? [];
    const texts = [shown].flat().flatMap((text) => this.masked(text).split('\n'));
    this.shown.push(...texts);
    return texts;
  }

  /** Masks all secrets in a text. */
  masked(text: string): string {
    const longestFirst = [...this.#masks].sort((a, b) => b.length - a.length);
    return longestFirst.reduce((whole, secret) => whole.replaceAll(secret, '***'), text);
  }

  #obey(command: Command, line: string): string | undefined {
    const { name, data } = command;
    if (this.#resumeToken !== undefined) {
      if (name !== this.#resumeToken.toLowerCase()) return line;
      this.#resumeToken = undefined;
      return undefined;
    }
    this.commands.push(command);
    if (isLevel(name)) return this.#annotate(name, command);
    if (name === 'add-mask') this.#mask(data);
    if (name === 'stop-commands') this.#resumeToken = data;
    if (name === 'debug') return this.#debug ? `Debug: ${data}` : undefined;
    return name === 'group' ? `▼ ${data}` : undefined;
  }

  #annotate(level: Level, { properties, data }: Command): string {
    if (this.annotations.filter((one) => one.level === level).length < MOST_ANNOTATIONS) {
      const message = this.masked(data).slice(0, LONGEST_ANNOTATION);
      this.annotations.push({ level, title: properties['title'] ?? '', message });
    }
    return `${level.charAt(0).toUpperCase()}${level.slice(1)}: ${data}`;
  }

  /** Adds a mask for a secret and for each of its lines. */
  #mask(secret: string): void {
    for (const part of [secret, ...secret.split(/[\r\n]+/)]) if (part.trim() !== '') this.#masks.add(part);
  }
}
