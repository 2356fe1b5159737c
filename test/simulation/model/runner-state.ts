/** Reads a file of commands as the official runner does: what is behind a line that it cannot read is lost. */
export function recordsOf(text: string): { readonly records: Map<string, string>; readonly torn: boolean } {
  const records = new Map<string, string>();
  const lines = text.split(/\r\n|\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line === '') continue;
    const equals = line.indexOf('=');
    const heredoc = line.indexOf('<<');
    if (heredoc >= 0 && (equals < 0 || heredoc < equals)) {
      const delimiter = line.slice(heredoc + 2);
      const end = lines.indexOf(delimiter, at + 1);
      if (delimiter === '' || end < 0) return { records, torn: true };
      records.set(line.slice(0, heredoc), lines.slice(at + 1, end).join('\n'));
      at = end;
    } else if (equals > 0) {
      records.set(line.slice(0, equals), line.slice(equals + 1));
    } else {
      return { records, torn: true };
    }
  }
  return { records, torn: false };
}
