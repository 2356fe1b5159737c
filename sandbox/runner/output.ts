/** How a runner reads what a step writes: lines with commands on its standard output, and records in its files. */

/** A line of a step's output that the runner executes instead of showing it. */
export interface Command {
  /** The name in lower case. */
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

/** The commands that a runner recognizes. The log shows lines with other commands unchanged. */
const KNOWN: ReadonlySet<string> = new Set(
  'add-mask add-matcher add-path debug echo endgroup error group internal-set-repo-path notice remove-matcher save-state set-env set-output stop-commands warning'.split(
    ' ',
  ),
);

/** White space according to .NET, in which the runner is written: it includes U+0085 but not U+FEFF. */
const LEADING_SPACE = /^[\t-\r\u0085\p{Z}]+/u;

/**
 * Parses the command in a line: `::name key=value,…::data` at its start, after any white space, or `##[name
 * key=value;…]data` anywhere in the line. While `stop-commands` is in effect, `resumeToken` is also a known name.
 */
export function commandIn(line: string, resumeToken?: string): Command | undefined {
  return (
    command(/^::([^\n]*?)::(.*)$/su.exec(line.replace(LEADING_SPACE, '')), ',', resumeToken) ??
    command(/##\[([^\]]*)\](.*)$/su.exec(line), ';', resumeToken)
  );
}

function command(match: RegExpExecArray | null, separator: string, token?: string): Command | undefined {
  const [, head = '', data = ''] = match ?? [];
  const [name = '', ...rest] = head.split(' ');
  if (match === null || (!KNOWN.has(name.toLowerCase()) && name !== token)) return undefined;
  const pairs = [...rest.join(' ').matchAll(new RegExp(`([^=${separator}]+)=([^${separator}]*)`, 'g'))];
  const properties = pairs.map(([, key = '', value = '']) => [key.trim(), unescaped(value)] as const);
  return { name: name.toLowerCase(), properties: Object.fromEntries(properties), data: unescaped(data) };
}

function unescaped(text: string): string {
  const codes = { '%0D': '\r', '%0A': '\n', '%3A': ':', '%2C': ',', '%3B': ';', '%5D': ']', '%25': '%' };
  return Object.entries(codes).reduce((whole, [code, meant]) => whole.replaceAll(code, meant), text);
}

export type Level = 'error' | 'warning' | 'notice';

/** A message that GitHub shows above a log and on the page of the workflow run. */
export interface Annotation {
  readonly level: Level;
  readonly title: string;
  readonly message: string;
}

/** The maximum number of annotations that a runner keeps per level and step, and of characters in each. */
const MOST_ANNOTATIONS = 10;
const LONGEST_ANNOTATION = 4_096;

/** Derives the log, the annotations and the masks of a step from its lines, as a runner does. */
export class StepLog {
  /** The lines as written, including commands and secrets. */
  readonly lines: string[] = [];
  /** The lines as shown in the log. */
  readonly shown: string[] = [];
  readonly annotations: Annotation[] = [];
  readonly #masks: Set<string>;
  readonly #isDebug: boolean;
  #resumeToken: string | undefined;

  /** All steps of a job share `masks`. */
  constructor(masks: Set<string>, isDebug: boolean) {
    this.#masks = masks;
    this.#isDebug = isDebug;
  }

  /** Adds a line and returns the lines that the log shows for it. */
  take(line: string): readonly string[] {
    this.lines.push(line);
    const command = commandIn(line, this.#resumeToken);
    const text = command === undefined ? line : this.#obey(command, line);
    const shown = text === undefined ? [] : this.#masked(text).split('\n');
    this.shown.push(...shown);
    return shown;
  }

  #masked(text: string): string {
    const longestFirst = [...this.#masks].sort((a, b) => b.length - a.length);
    return longestFirst.reduce((whole, secret) => whole.replaceAll(secret, '***'), text);
  }

  /** Returns what the log shows for a command, or undefined if it shows nothing. */
  #obey({ name, properties, data }: Command, line: string): string | undefined {
    if (this.#resumeToken !== undefined) {
      if (name !== this.#resumeToken.toLowerCase()) return line;
      this.#resumeToken = undefined;
      return undefined;
    }
    switch (name) {
      case 'error':
      case 'warning':
      case 'notice':
        this.#annotate(name, properties['title'] ?? '', data);
        return `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${data}`;
      case 'add-mask':
        // Each line of a secret is a secret, too.
        for (const part of [data, ...data.split(/[\r\n]+/)]) if (part.trim() !== '') this.#masks.add(part);
        return undefined;
      case 'stop-commands':
        this.#resumeToken = data;
        return undefined;
      case 'debug':
        return this.#isDebug ? `Debug: ${data}` : undefined;
      case 'group':
        return `▼ ${data}`;
      default:
        return undefined;
    }
  }

  #annotate(level: Level, title: string, data: string): void {
    if (this.annotations.filter((one) => one.level === level).length >= MOST_ANNOTATIONS) return;
    this.annotations.push({ level, title, message: this.#masked(data).slice(0, LONGEST_ANNOTATION) });
  }
}

/** The contents of a state or output file, as a runner reads them. */
export interface Records {
  readonly values: Readonly<Record<string, string>>;
  /** The runner's error, if any. Records after the invalid line are lost. */
  readonly broken: string | undefined;
}

/**
 * Reads `key=value` lines and heredocs (`key<<MARK`, lines, `MARK`). If a line contains both signs, the first wins. At
 * any other line, or at an unterminated heredoc, the runner stops reading and keeps the records before it.
 */
export function parseRecords(text: string): Records {
  const values: Record<string, string> = {};
  // On Windows, the toolkit ends lines with CRLF. A line break at the end of the file does not begin another line.
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line === '') continue;
    const [, key, sign, rest = ''] = /^(.*?)(=|<<)(.*)$/s.exec(line) ?? [];
    if (key === undefined) return { values, broken: `Invalid format '${line}'` };
    if (key === '' || (sign === '<<' && rest === '')) {
      return { values, broken: `Invalid format '${line}'. Name and delimiter must not be empty` };
    }
    if (sign === '=') {
      values[key] = rest;
      continue;
    }
    const end = lines.indexOf(rest, at + 1);
    if (end < 0) return { values, broken: `Invalid value. Matching delimiter not found '${rest}'` };
    values[key] = lines.slice(at + 1, end).join('\n');
    at = end;
  }
  return { values, broken: undefined };
}
