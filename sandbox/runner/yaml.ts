/** The contents of an action's metadata file, which are strings and maps. These files contain no lists or anchors. */
export type Yaml = string | YamlMap;
export type YamlMap = ReadonlyMap<string, Yaml>;

/**
 * Parses the subset of YAML in metadata files: nested maps, and plain, quoted, folded and literal text. All values are
 * text, as they are for the runner.
 * @throws an error with the line's number for anything else
 */
export function parseYaml(text: string): YamlMap {
  const lines = new Lines(text);
  const map = readMap(lines, 0);
  const rest = lines.next();
  if (rest !== undefined) throw lines.error(rest.number);
  return map;
}

interface Line {
  readonly number: number;
  readonly indent: number;
  readonly text: string;
}

/** Reads lines and can look ahead by one line. */
class Lines {
  readonly #all: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#all = text.split(/\r?\n/);
  }

  /** Returns the next line that is neither empty nor a comment, without consuming it. */
  next(): Line | undefined {
    while (this.#at < this.#all.length && /^\s*(?:#.*)?$/.test(this.#all[this.#at] ?? '')) this.#at += 1;
    return this.raw();
  }

  /** Returns the next line, even if it is empty or a comment. */
  raw(): Line | undefined {
    const line = this.#all[this.#at];
    if (line === undefined) return undefined;
    return { number: this.#at + 1, indent: line.search(/\S|$/), text: line.trim() };
  }

  take(): void {
    this.#at += 1;
  }

  error(number: number): Error {
    return new Error(`this reader does not support line ${String(number)} of the YAML text`);
  }
}

const ENTRY = /^([\w-]+|'[^']*'|"[^"]*"):(?:\s+(.*))?$/;

function readMap(lines: Lines, indent: number): YamlMap {
  const map = new Map<string, Yaml>();
  for (let line = lines.next(); line?.indent === indent; line = lines.next()) {
    const [, key, rest = ''] = ENTRY.exec(line.text) ?? [];
    if (key === undefined) throw lines.error(line.number);
    lines.take();
    map.set(key.replace(/^['"]|['"]$/g, ''), readValue(lines, line, rest));
  }
  return map;
}

function readValue(lines: Lines, line: Line, rest: string): Yaml {
  if (/^[|>][-+]?$/.test(rest)) return readBlock(lines, line.indent, rest);
  const next = lines.next();
  if (rest === '' || rest.startsWith('#')) {
    return next !== undefined && next.indent > line.indent ? readMap(lines, next.indent) : '';
  }
  let text = rest;
  for (let more = next; more !== undefined && more.indent > line.indent; more = lines.next()) {
    text += ` ${more.text}`;
    lines.take();
  }
  const value = scalar(text);
  if (value === undefined) throw lines.error(line.number);
  return value;
}

function scalar(text: string): string | undefined {
  const single = /^'((?:[^']|'')*)'(?:\s+#.*)?$/.exec(text)?.[1];
  if (single !== undefined) return single.replaceAll("''", "'");
  const double = /^("(?:[^"\\]|\\.)*")(?:\s+#.*)?$/.exec(text)?.[1];
  if (double !== undefined) return String(JSON.parse(double));
  return /^['"[{&*!|>%@`]/.test(text) ? undefined : text.replace(/\s+#.*$/, '');
}

function readBlock(lines: Lines, indent: number, style: string): string {
  const texts: string[] = [];
  for (let line = lines.raw(); line !== undefined; line = lines.raw()) {
    if (line.text !== '' && line.indent <= indent) break;
    texts.push(line.text);
    lines.take();
  }
  while (texts.at(-1) === '') texts.pop();
  const text = style.startsWith('|') ? texts.join('\n') : texts.join(' ').replace(/ {2,}/g, '\n');
  return style.endsWith('-') ? text : `${text}\n`;
}
