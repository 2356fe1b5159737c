/** The contents of an action's metadata file: text, and maps of text. These files contain no lists and no anchors. */
export type Yaml = string | YamlMap;
export type YamlMap = ReadonlyMap<string, Yaml>;

/**
 * Parses the subset of YAML in metadata files: nested maps, and plain, quoted, folded and literal text.
 * All values are text, as they are to the runner. Throws, with the line's number, at anything else.
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

/** The lines, read one ahead. */
class Lines {
  readonly #all: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#all = text.split(/\r?\n/);
  }

  /** The next line that is neither empty nor a comment, without taking it. */
  next(): Line | undefined {
    while (this.#at < this.#all.length && /^\s*(?:#.*)?$/.test(this.#all[this.#at] ?? '')) this.#at += 1;
    return this.raw();
  }

  /** The next line, even if it is empty or a comment. */
  raw(): Line | undefined {
    const line = this.#all[this.#at];
    if (line === undefined) return undefined;
    return { number: this.#at + 1, indent: line.search(/\S|$/), text: line.trim() };
  }

  take(): void {
    this.#at += 1;
  }

  error(number: number): Error {
    return new Error(`line ${String(number)} of the YAML text is beyond this reader`);
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
