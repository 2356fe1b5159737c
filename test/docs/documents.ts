// The Markdown files in the repository, the parts of each file, and every workflow in them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

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

/** Every document in the root, in docs, cancel, test and .github. */
export const documents: readonly Document[] = globSync(
  ['*.md', 'docs/**/*.md', 'cancel/*.md', '.github/**/*.md', 'test/*.md'],
  { cwd: root },
)
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
  .map(documentAt);

/** The document with this path from the root. */
export function documentAt(path: string): Document {
  const text = read(path);
  const fenced = /^[ \t]*(`{3,})(\S*).*\n([\s\S]*?)^[ \t]*\1[ \t]*$\n?/gm;
  const blocks = [...text.matchAll(fenced)].map(({ index: at, 2: language = '', 3: code = '' }) => {
    return { language, text: code, line: text.slice(0, at).split('\n').length };
  });
  const prose = text.replace(fenced, '');
  if (prose.includes('```')) throw new Error(`${path} has a code block without an end.`);
  return { path, text, blocks, prose };
}

/** The text under a heading, up to the next heading of the same or a higher rank. */
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
  const [, rows = ''] = /^\|.*\n\|.*\n((?:\|.*\n?)*)/m.exec(text) ?? [];
  return [...rows.matchAll(/^\|(.*)\|$/gm)].map(([, cells = '']) => cells.split('|').map((cell) => cell.trim()));
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

/** A YAML block of a document, expanded into a complete workflow. */
export interface Shown {
  /** The document and line number of the block, as in `docs/limits.md:12`. */
  readonly name: string;
  /** The workflow. If the block contains only steps, this text puts them into a job. */
  readonly text: string;
  readonly isWhole: boolean;
}

/** Every YAML block in every document. */
export const shown: readonly Shown[] = documents.flatMap(({ path, blocks }) => {
  const texts = blocks.filter(({ language }) => language === 'yaml' || language === 'yml');
  return texts.map(({ text, line }) => {
    const steps: unknown = parse(text);
    const isWhole = !Array.isArray(steps);
    const job = { name: 'Shown', 'runs-on': 'ubuntu-latest', 'timeout-minutes': 5, steps };
    const wrapped = { name: 'Shown', on: 'workflow_dispatch', permissions: {}, jobs: { shown: job } };
    return { name: `${path}:${line}`, text: isWhole ? text : stringify(wrapped), isWhole };
  });
});
