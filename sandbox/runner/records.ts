/** The contents of a state or output file, as a runner reads it. */
export interface Records {
  readonly values: Readonly<Record<string, string>>;
  /** The runner's error. Records after the invalid line are lost. */
  readonly broken: string | undefined;
}

/**
 * Reads `key=value` lines and heredocs (`key<<MARK`, lines, `MARK`). If a line contains both signs, the first wins. At
 * any other line, or at an unterminated heredoc, the runner stops reading and keeps the records before it.
 */
export function parseRecords(text: string): Records {
  const values: Record<string, string> = {};
  // On Windows, the toolkit ends lines with CRLF.
  const lines = text.split(/\r?\n/);
  // A line break at the end of the file does not begin another line.
  if (lines.at(-1) === '') lines.pop();
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
