// ESLint rules for texts that people read. A scene in test/matrix must show each text, and no other test may repeat it.
import type { Rule, SourceCode } from 'eslint';
import { pinnedSequences, sequencesOf } from './texts.ts';

type Node = NonNullable<Parameters<SourceCode['getText']>[0]>;

/** The number of consecutive words that make a text a copy. */
const COPIED_WORDS = 5;
/** A placeholder for a value that a template inserts. */
const HOLE = ' 0 ';

/** Returns the text of a string, a template or a regular expression, or of strings joined by `+`, `join` or `concat`. */
function textOf(node: Node): string | undefined {
  switch (node.type) {
    case 'Literal':
      if ('regex' in node) return node.regex.pattern;
      return typeof node.value === 'string' ? node.value : undefined;
    case 'TemplateLiteral':
      return node.quasis.map(({ value }) => value.cooked ?? value.raw).join(HOLE);
    case 'BinaryExpression': {
      if (node.operator !== '+' || node.left.type === 'PrivateIdentifier') return undefined;
      const [left, right] = [textOf(node.left), textOf(node.right)];
      return left === undefined || right === undefined ? undefined : left + right;
    }
    case 'CallExpression': {
      const { callee, arguments: given } = node;
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return undefined;
      const { object, property } = callee;
      if (property.name === 'concat') return allOf([object, ...given], '');
      if (property.name !== 'join' || object.type !== 'ArrayExpression') return undefined;
      return allOf(object.elements, given[0] === undefined ? ',' : (textOf(given[0]) ?? HOLE));
    }
    default:
      return undefined;
  }
}

/** Returns the texts of several nodes with this separator, or undefined if no node has a text. */
function allOf(nodes: readonly (Node | null)[], separator: string): string | undefined {
  const texts = nodes.map((node) => (node === null ? undefined : textOf(node)));
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

/** Whether users may see a text unchanged. Excludes patterns, and messages of errors, which other errors quote. */
function isShown(node: Rule.Node): boolean {
  return !('regex' in node) && node.parent?.type !== 'NewExpression';
}

/** Creates a rule that reports the words that `findIn` returns for a text. */
function aboutTexts(
  message: string,
  isChecked: (node: Rule.Node) => boolean,
  findIn: (text: string) => string | undefined,
): Rule.RuleModule {
  return {
    meta: { type: 'problem', schema: [], messages: { found: message } },
    create(context) {
      const check = (node: Rule.Node): void => {
        if (!isChecked(node) || (node.parent !== null && textOf(node.parent) !== undefined)) return;
        const words = findIn(textOf(node) ?? '');
        if (words !== undefined) context.report({ node, messageId: 'found', data: { words } });
      };
      return { Literal: check, TemplateLiteral: check, BinaryExpression: check, CallExpression: check };
    },
  };
}

/** Texts that no scene can show, because scenes use complete code and have short summaries. Other tests cover them. */
const SHOWN_ELSEWHERE = [
  'a part of this action could not be', // test/e2e/missing-code.test.ts
  'more, which the log lists', // test/unit/action/steps/post-step.test.ts
].flatMap((text) => sequencesOf(text, COPIED_WORDS));

const pinned = pinnedSequences(COPIED_WORDS);
const shown = new Set([...pinned, ...SHOWN_ELSEWHERE]);

export const texts = {
  rules: {
    'pinned-once': aboutTexts(
      'A table of test/matrix already pins "{{words}}".',
      (node) => !isTitle(node),
      // Vitest puts inline snapshots of strings in quotation marks.
      (text) => sequencesOf(text.replace(/^\s*"|"\s*$/g, ''), COPIED_WORDS).find((words) => pinned.has(words)),
    ),
    'shown-in-a-scene': aboutTexts('No scene of test/matrix shows "{{words}}".', isShown, (text) =>
      text
        .split(HOLE)
        .flatMap((piece) => sequencesOf(piece, COPIED_WORDS))
        .find((words) => !shown.has(words)),
    ),
  },
};
