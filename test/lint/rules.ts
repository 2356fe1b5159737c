// ESLint rules for texts that people read. A scene in test/matrix must show each text, and no other test may repeat it.
import type { Rule, Scope, SourceCode } from 'eslint';
import { pinnedSequences, pinnedTogether, pinnedWords, sequencesOf } from './texts.ts';

type Node = Parameters<SourceCode['getScope']>[0];

/** The number of consecutive words that make a text a copy. */
const COPIED_WORDS = 5;
/** A placeholder for a value that a template inserts. */
const HOLE = ' 0 ';

/** Returns the initial value of a constant, or the node itself if it is not the name of a constant. */
function resolved(node: Node, source: SourceCode): Node {
  if (node.type !== 'Identifier') return node;
  for (let scope: Scope.Scope | null = source.getScope(node); scope !== null; scope = scope.upper) {
    const [definition] = scope.set.get(node.name)?.defs ?? [];
    if (definition === undefined) continue;
    const isConstant = definition.type === 'Variable' && definition.parent.kind === 'const';
    const value = isConstant && definition.node.id.type === 'Identifier' ? definition.node.init : undefined;
    return value ? resolved(value, source) : node;
  }
  return node;
}

/** Returns the text of a string, a template or a regular expression, or of strings joined by `+`, `join` or `concat`. */
function textOf(given: Node, source: SourceCode): string | undefined {
  const node = resolved(given, source);
  switch (node.type) {
    case 'Literal':
      if ('regex' in node) return node.regex.pattern;
      return typeof node.value === 'string' ? node.value : undefined;
    case 'TemplateLiteral': {
      const values = node.expressions.map((value) => textOf(value, source) ?? HOLE);
      return node.quasis.map(({ value }, at) => (value.cooked ?? value.raw) + (values[at] ?? '')).join('');
    }
    case 'BinaryExpression':
      return node.operator === '+' ? allOf([node.left, node.right], '', source) : undefined;
    case 'CallExpression': {
      const { callee, arguments: others } = node;
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return undefined;
      const { object, property } = callee;
      if (property.name === 'concat') return allOf([object, ...others], '', source);
      const list = resolved(object, source);
      if (property.name !== 'join' || list.type !== 'ArrayExpression') return undefined;
      return allOf(list.elements, others[0] === undefined ? ',' : (textOf(others[0], source) ?? HOLE), source);
    }
    default:
      return undefined;
  }
}

/** Returns the texts of several nodes with this separator, or undefined if no node has a text. */
function allOf(nodes: readonly (Node | null)[], separator: string, source: SourceCode): string | undefined {
  const texts = nodes.map((node) => {
    if (node?.type !== 'SpreadElement') return node === null ? undefined : textOf(node, source);
    const list = resolved(node.argument, source);
    return list.type === 'ArrayExpression' ? allOf(list.elements, separator, source) : undefined;
  });
  return texts.every((text) => text === undefined) ? undefined : texts.map((text) => text ?? HOLE).join(separator);
}

/** Whether a text is the title of a test or a group of tests, which is not an assertion. */
function isTitle(node: Rule.Node): boolean {
  const call = node.parent;
  if (call?.type !== 'CallExpression' || call.arguments[0] !== node) return false;
  const callee = call.callee.type === 'CallExpression' ? call.callee.callee : call.callee;
  const named = callee.type === 'MemberExpression' ? callee.object : callee;
  return named.type === 'Identifier' && ['describe', 'it'].includes(named.name);
}

/** Returns the value that the assertion around a text checks, with the place of its function. */
function subjectOf(node: Rule.Node, source: SourceCode): string | undefined {
  let subject: string | undefined;
  let around = node.parent;
  for (; around && !around.type.includes('Function'); around = around.parent) {
    if (around.type === 'CallExpression')
      subject ??= /^expect\((.*)\)\.[\w.]+$/s.exec(source.getText(around.callee))?.[1];
  }
  return subject === undefined ? undefined : `${around?.range?.join() ?? ''} ${subject}`;
}

/** Creates a rule that reports the words that a function returns for each text in a file. */
function aboutTexts(
  message: string,
  finderFor: (source: SourceCode) => (text: string, node: Rule.Node) => string | undefined,
): Rule.RuleModule {
  return {
    meta: { type: 'problem', schema: [], messages: { found: message } },
    create(context) {
      const source = context.sourceCode;
      const findIn = finderFor(source);
      const check = (node: Rule.Node): void => {
        if (node.parent !== null && textOf(node.parent, source) !== undefined) return;
        const words = findIn(textOf(node, source) ?? '', node);
        if (words !== undefined) context.report({ node, messageId: 'found', data: { words } });
      };
      return { Literal: check, TemplateLiteral: check, BinaryExpression: check, CallExpression: check };
    },
  };
}

const pinned = pinnedSequences(COPIED_WORDS);
// No step can reach this message. test/unit/action/runner/files.test.ts tests it.
const shown = new Set([...pinned, ...sequencesOf('contains a line that equals the delimiter', COPIED_WORDS)]);

export const texts = {
  rules: {
    'pinned-once': aboutTexts('A table of test/matrix already pins "{{words}}".', (source) => {
      /** The texts in all assertions about a value. */
      const asserted = new Map<string, string[]>();
      return (given, node) => {
        if (isTitle(node)) return undefined;
        // Vitest puts inline snapshots of strings in quotation marks.
        const text = given.replace(/^\s*"|"\s*$/g, '');
        const copied = sequencesOf(text, COPIED_WORDS).find((words) => pinned.has(words));
        if (copied !== undefined) return copied;
        if ('regex' in node && pinnedWords(text) >= COPIED_WORDS) return text;
        const subject = subjectOf(node, source);
        if (subject === undefined) return undefined;
        const all = [...(asserted.get(subject) ?? []), text];
        asserted.set(subject, all);
        return pinnedTogether(all) >= COPIED_WORDS ? all.join(' … ') : undefined;
      };
    }),
    'shown-in-a-scene': aboutTexts('No scene of test/matrix shows "{{words}}".', () => (text, node) => {
      if ('regex' in node) return undefined;
      const pieces = text.split(HOLE).flatMap((piece) => sequencesOf(piece, COPIED_WORDS));
      return pieces.find((words) => !shown.has(words));
    }),
  },
};
