/** A line of a step's output that the runner executes instead of showing it. */
export interface Command {
  /** The name in lower case. */
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

/** The commands that a runner knows. The log shows lines with other commands unchanged. */
const KNOWN: ReadonlySet<string> = new Set([
  'add-mask',
  'add-matcher',
  'add-path',
  'debug',
  'echo',
  'endgroup',
  'error',
  'group',
  'internal-set-repo-path',
  'notice',
  'remove-matcher',
  'save-state',
  'set-env',
  'set-output',
  'stop-commands',
  'warning',
]);

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
  const pairs = rest.join(' ').split(separator).map(pair);
  return { name: name.toLowerCase(), properties: Object.fromEntries(pairs.flat(1)), data: unescaped(data) };
}

function pair(text: string): [string, string][] {
  const at = text.indexOf('=');
  return at > 0 ? [[text.slice(0, at).trim(), unescaped(text.slice(at + 1))]] : [];
}

function unescaped(text: string): string {
  const codes = { '%0D': '\r', '%0A': '\n', '%3A': ':', '%2C': ',', '%3B': ';', '%5D': ']', '%25': '%' };
  return Object.entries(codes).reduce((whole, [code, meant]) => whole.replaceAll(code, meant), text);
}
