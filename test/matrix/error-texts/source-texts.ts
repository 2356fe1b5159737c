import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const SOURCE = join(import.meta.dirname, '..', '..', '..', 'src');

/** Where the words for failures are made. */
const FILES = [
  'service/**/*.ts',
  'run/**/*.ts',
  'action/inputs/{combinations,connection-inputs,input-reader,run-url,settings}.ts',
  'action/report/{endings,words,annotations,report}.ts',
  'action/steps/{main-step,post-report,post-step,stop-main,cancel-step}.ts',
  'start.ts',
];

/** A text in the source: what stands in it for good, with a hole for each value that is set in. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
  readonly pattern: RegExp;
}

/** Every text of at least three words that the source could say to somebody. */
export function sourceTexts(): readonly SourceText[] {
  return FILES.flatMap((glob) => globSync(glob, { cwd: SOURCE }))
    .sort()
    .flatMap((file) => textsIn(file, readFileSync(join(SOURCE, file), 'utf8')));
}

function textsIn(file: string, source: string): SourceText[] {
  const found: SourceText[] = [];
  const take = (parts: readonly string[]): void => {
    const text = parts.join('…');
    if (parts.join(' ').trim().split(/\s+/).length < 3 || !/[a-z]{2}/.test(text)) return;
    found.push({ file, text, pattern: new RegExp(parts.map(escaped).join('[^]*?')) });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    const joined = ts.isBinaryExpression(node) ? partsOf(node) : undefined;
    if (joined !== undefined) {
      take(joined);
      return;
    }
    if (isText(node)) take(literalsOf(node));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  return found;
}

/** The parts of literals that are added up to one text, because a line has an end. */
function partsOf(node: ts.Expression): readonly string[] | undefined {
  if (isText(node)) return literalsOf(node);
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [partsOf(node.left), partsOf(node.right)];
  if (left === undefined || right === undefined) return undefined;
  return [...left.slice(0, -1), `${left.at(-1) ?? ''}${right[0] ?? ''}`, ...right.slice(1)];
}

type Text = ts.StringLiteralLike | ts.TemplateExpression;

function isText(node: ts.Node): node is Text {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function literalsOf(node: Text): readonly string[] {
  return ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]
    : [node.text];
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
