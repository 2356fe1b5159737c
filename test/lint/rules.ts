// ESLint rules for texts that people read. A scene in test/matrix must show each text, and no other test may repeat it.
import type { Rule } from 'eslint';
import { ALL_LINES } from '../matrix/error-texts/table.ts';
import { sentencesOf, sequencesOf } from './texts.ts';

/** The number of words of a sentence that a test file may quote. */
const QUOTED_WORDS = 4;
/** A placeholder for a value that a template inserts. */
const HOLE = ' 0 ';

/** The different sentences in the tables. */
const SENTENCES = [...new Map(ALL_LINES.flatMap(sentencesOf).map((words) => [words.join(' '), words])).values()];
/** Every sequence of this number of words in them. */
export const pinned = (length: number) => new Set(SENTENCES.flatMap((words) => sequencesOf(words, length)));

const [PINNED, SHOWN] = [pinned(QUOTED_WORDS), pinned(QUOTED_WORDS + 1)];
// No step can reach this message. test/unit/action/runner/files.test.ts tests it.
const UNREACHABLE = ['contains', 'a', 'line', 'that', 'equals', 'the', 'delimiter'];
for (const words of sequencesOf(UNREACHABLE, QUOTED_WORDS + 1)) SHOWN.add(words);

/** Words in a literal, or in a literal and those after it. */
interface Piece {
  readonly words: readonly string[];
  readonly node: Rule.Node;
}

/** Returns the text of a string, a template or a regular expression. */
function textOf(node: Rule.Node): string {
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? value.raw).join(HOLE);
  if (node.type !== 'Literal') return '';
  if ('regex' in node) return node.regex.pattern.replaceAll('|', '\n');
  return typeof node.value === 'string' ? node.value : '';
}

/** Whether a text is the title of a test or a group of tests, which is not an assertion. */
function isTitle(node: Rule.Node): boolean {
  const call = node.parent;
  if (call?.type !== 'CallExpression' || call.arguments[0] !== node) return false;
  const callee = call.callee.type === 'CallExpression' ? call.callee.callee : call.callee;
  const named = callee.type === 'MemberExpression' ? callee.object : callee;
  return named.type === 'Identifier' && ['describe', 'it'].includes(named.name);
}

/** Returns the pieces in a literal, with and without the words in quotation marks. */
function piecesOf(node: Rule.Node): readonly Piece[] {
  if (isTitle(node) || node.parent?.type === 'ImportDeclaration') return [];
  const text = textOf(node);
  const texts = new Set([text, text.replace(/"|(?<![a-z])'|'(?![a-z])/gi, ' ')]);
  return [...texts].flatMap(sentencesOf).map((words) => ({ words, node }));
}

/** Returns the pieces of several words, and the sequences of pinned words that begin and end in different pieces. */
function quotesIn(pieces: readonly Piece[]): readonly Piece[] {
  const all = pieces.flatMap(({ words, node }) => words.map((word) => ({ word, node })));
  const sequences = all.map(({ node }, at) => {
    return { words: all.slice(at, at + QUOTED_WORDS).map(({ word }) => word), node };
  });
  return [
    ...pieces.filter(({ words }) => words.length > 1),
    ...sequences.filter(({ words }) => PINNED.has(words.join(' '))),
  ];
}

/** Returns the positions of words in a sentence, or nothing if it lacks one. Words of a pattern may have gaps. */
function positionsOf({ words, node }: Piece, sentence: readonly string[]): readonly number[] {
  const from = sentence.findIndex((_, at) => words.every((word, after) => sentence[at + after] === word));
  if (from >= 0) return words.map((_, after) => from + after);
  const positions: number[] = [];
  for (const word of words) positions.push(sentence.indexOf(word, (positions.at(-1) ?? -1) + 1));
  const isPattern = 'regex' in node || /\.[*+]/.test(textOf(node));
  return isPattern && !positions.includes(-1) ? positions : [];
}

/** Creates a rule that passes the literals of a file, in order, to a function that finds words in them. */
function aboutTexts(message: string, find: (nodes: readonly Rule.Node[]) => readonly Piece[]): Rule.RuleModule {
  return {
    meta: { type: 'problem', schema: [], messages: { found: message } },
    create(context) {
      const nodes: Rule.Node[] = [];
      const collect = (node: Rule.Node): void => void nodes.push(node);
      const report = ({ node, words }: Piece) =>
        context.report({ node, messageId: 'found', data: { words: words.join(' ') } });
      return { Literal: collect, TemplateLiteral: collect, 'Program:exit': () => find(nodes).forEach(report) };
    },
  };
}

export const texts = {
  rules: {
    'pinned-once': aboutTexts('This file quotes more than four words of a text, including "{{words}}".', (nodes) => {
      const quotes = quotesIn(nodes.flatMap(piecesOf));
      const copies = SENTENCES.flatMap((sentence) => {
        const quoted = quotes.filter((quote) => positionsOf(quote, sentence).length > 0);
        const positions = new Set(quoted.flatMap((quote) => positionsOf(quote, sentence)));
        return positions.size > QUOTED_WORDS ? quoted : [];
      });
      return [...new Set(copies)];
    }),
    'shown-in-a-scene': aboutTexts('No scene of test/matrix shows "{{words}}".', (nodes) =>
      nodes.flatMap((node) => {
        const parts = 'regex' in node ? [] : textOf(node).split(HOLE).flatMap(sentencesOf);
        const sequences = parts.flatMap((words) => sequencesOf(words, QUOTED_WORDS + 1));
        return sequences.filter((words) => !SHOWN.has(words)).map((words) => ({ words: [words], node }));
      }),
    ),
  },
};
