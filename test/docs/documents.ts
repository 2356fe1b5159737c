// The Markdown files in the repository, and their parts.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/** A fenced code block in a document. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** The line number of its opening fence, from 1. */
  readonly line: number;
}

/** A Markdown file, identified by its path from the repository root. */
export interface Document {
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The text without fenced code blocks. */
  readonly prose: string;
}

/** The text of a file in the repository. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');
}

/** Every document in the root, in docs and in .github. */
export const documents: readonly Document[] = globSync(['*.md', 'docs/**/*.md', '.github/**/*.md'], { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
  .map(documentAt);

/** The document with this path from the root. */
export function documentAt(path: string): Document {
  const text = read(path);
  return { path, text, ...split(text) };
}

function split(text: string): { readonly blocks: readonly Block[]; readonly prose: string } {
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open: { readonly fence: string; readonly language: string; readonly line: number } | undefined;
  let lines: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const [, fence = '', language = ''] = /^\s*(`{3,})(\S*)/.exec(line) ?? [];
    if (open === undefined && fence !== '') {
      open = { fence, language, line: index + 1 };
      lines = [];
    } else if (open !== undefined && line.trim() === open.fence) {
      blocks.push({ language: open.language, text: `${lines.join('\n')}\n`, line: open.line });
      open = undefined;
    } else {
      (open === undefined ? prose : lines).push(line);
    }
  }
  if (open !== undefined) throw new Error(`The block at line ${open.line} has no end.`);
  return { blocks, prose: prose.join('\n') };
}

/** The text below a heading, up to the next heading of the same or a higher rank. */
export function section({ path, text }: Document, heading: string): string {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && line.startsWith('#'));
  if (from < 0) throw new Error(`${path} has no heading "${heading}".`);
  const rank = /^#+/.exec(lines[from] ?? '')?.[0].length ?? 0;
  const rest = lines.slice(from + 1);
  let fenced = false;
  const end = rest.findIndex((line) => {
    if (line.startsWith('```')) fenced = !fenced;
    return !fenced && /^#+ /.test(line) && line.indexOf(' ') <= rank;
  });
  return (end < 0 ? rest : rest.slice(0, end)).join('\n');
}

/** The cells of the first table in a text, without its header row. */
export function tableIn(text: string): readonly (readonly string[])[] {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.startsWith('|'));
  const rest = first < 0 ? [] : lines.slice(first);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  return rest.slice(2, end < 0 ? undefined : end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The code in a cell or heading that contains nothing else. */
export function codeIn(text: string | undefined): string | undefined {
  return /^`([^`]*)`$/.exec(text ?? '')?.[1];
}

/** The targets of a document's links and images. */
export function targetsOf({ prose }: Document): readonly string[] {
  const text = prose.replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
}

/** The anchors that GitHub generates for a document's headings. */
export function anchorsOf({ prose }: Document): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} +(.*)$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let nth = 1; anchors.has(anchor); nth += 1) anchor = `${slug}-${nth}`;
    anchors.add(anchor);
  }
  return anchors;
}
