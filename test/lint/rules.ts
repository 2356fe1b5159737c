// ESLint rules for texts that people read. A scene in test/matrix shows each text, and no other test may repeat one.
import type { Rule, SourceCode } from 'eslint';
import { pinnedSequences, sequencesOf } from './texts.ts';

type Node = NonNullable<Parameters<SourceCode['getText']>[0]>;

/** The number of consecutive words that make a text a copy. */
const COPIED_WORDS = 5;
/** A placeholder for a value that a template inserts. */
const HOLE = ' 0 ';

/** The text of a string, template or regular expression, or of several joined by `+`. */
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
    default:
      return undefined;
  }
}

/** Whether a text is the title of a test or a group of tests, which is not an assertion. */
function isTitle(node: Rule.Node): boolean {
  const call = node.parent;
  if (call?.type !== 'CallExpression' || call.arguments[0] !== node) return false;
  const callee = call.callee.type === 'CallExpression' ? call.callee.callee : call.callee;
  const named = callee.type === 'MemberExpression' ? callee.object : callee;
  return named.type === 'Identifier' && ['describe', 'it'].includes(named.name);
}

/** Whether users may see a text as it is, unlike a pattern or the reason of an error, which other errors quote. */
function isShown(node: Rule.Node): boolean {
  return !('regex' in node) && node.parent?.type !== 'NewExpression';
}

/** A rule that reports the first words of each text to which `findIn` objects. */
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
      return { Literal: check, TemplateLiteral: check, BinaryExpression: check };
    },
  };
}

/** Texts that other tests cover: a scene has all of the code and a short summary. */
const SHOWN_ELSEWHERE = [
  'a part of this action could not be loaded', // test/e2e/missing-code.test.ts
  'more, which the log names', // test/unit/action/steps
].flatMap((text) => sequencesOf(text, COPIED_WORDS));

const pinned = pinnedSequences(COPIED_WORDS);
const shown = new Set([...pinned, ...SHOWN_ELSEWHERE]);

export const texts = {
  rules: {
    'pinned-once': aboutTexts(
      'A table of test/matrix already pins "{{words}}".',
      (node) => !isTitle(node),
      (text) => sequencesOf(text, COPIED_WORDS).find((words) => pinned.has(words)),
    ),
    'shown-in-a-scene': aboutTexts('No scene of test/matrix shows "{{words}}".', isShown, (text) =>
      text
        .split(HOLE)
        .flatMap((piece) => sequencesOf(piece, COPIED_WORDS))
        .find((words) => !shown.has(words)),
    ),
  },
};
