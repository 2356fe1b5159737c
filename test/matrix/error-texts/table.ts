// Reads and writes the tables of texts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sentencesOf } from '../../lint/texts.ts';

/** Represents a line break in the message of an annotation. */
export const LINE_BREAK = ' ⏎ ';

/** The tables. Each one abbreviates texts that those before it show. */
const TABLES = ['error-texts.txt', 'fault-texts.txt', 'entry-texts.txt'] as const;
type Table = (typeof TABLES)[number];

/** The number of words in an abbreviation. */
const SHOWN = 4;
/** A sentence or a clause, without its punctuation. */
const TEXT =
  /(?<=^|\s|::)(?![\s⏎>|-])(?:"[^"]*"|[^"])+?(?=\)?(?:[.?!:|\]⏎]|(?<!&#\d\d);|&#(?:46|58|59);)(?: |$)|::| \(\d+ more like|$)/g;
/** A phrase that names a run, such as "run 1111… of Orders" or "a run of Orders (attempt 2 of 3)". It counts as a value. */
const RUN =
  /(?<!\S)(?:(?:a|the) run(?![\w'])|run [\da-f]{8}-)\S*(?: of (?:a pipeline without a name|\S+))?(?: (?:\(|&#40;)[^)&]*(?:\)|&#41;)\S*)?/;
/** A word with its punctuation, a value, or a remark in parentheses, which counts as a value. */
const TOKEN = new RegExp(`${RUN.source}|\\([^)]*\\)\\S*|\\S*"[^"]*"\\S*|\\S+`, 'gi');

/** Returns a token of a text if it is a word, in lower case if it is the first, or `#` if it is a value, such as an id or an error code. */
function wordIn(token: string, at?: number): string {
  if (token.startsWith('…')) return '…';
  const word = token.replace('&#39;', "'");
  if (/^\(|^E[A-Z]{3,}\b|^run [\da-f]{8}-/i.test(word)) return '#';
  return sentencesOf(word).flat().length !== 1 ? '#' : at === 0 ? word.toLowerCase() : word;
}

/** Replaces words by ellipses, except the first `head` words and the last `SHOWN - head` words. */
function abbreviated(tokens: readonly string[], head: number): string {
  const words = [...tokens.keys()].filter((at) => wordIn(tokens[at] ?? '') !== '#');
  const hidden = words.slice(head, words.length - SHOWN + head);
  const shown = tokens.map((token, at) => (hidden.includes(at) ? '…' : token)).join(' ');
  return shown.replace(/…(?: …)+/g, '…');
}

/**
 * Creates a function that rewrites tables in order. It abbreviates each text that a previous line contains with the same
 * or other values, so that only one line shows all its words. All values and four words remain, usually the first four.
 * If a text is already abbreviated, the function restores it.
 */
function rewriter(): (table: string) => string {
  /** The tokens of each text, by its words and by those of its abbreviations, with `#` for each value. */
  const known = new Map<string, readonly string[]>();

  const rewrite = (text: string): string => {
    const tokens = text.match(TOKEN) ?? [];
    const words = tokens.map(wordIn);
    if (words.filter((word) => word !== '#').length <= SHOWN) return text;
    const forms = [4, 3, 2, 1].map((head) => abbreviated(words, head));
    const before = known.get(words.join(' '));
    if (before === undefined) {
      for (const key of [words.join(' '), ...forms]) known.set(key, known.get(key) ?? tokens);
      return text;
    }
    if (words.includes('…')) {
      const values = tokens.filter((token) => wordIn(token) === '#');
      const whole = before.map((token) => (wordIn(token) === '#' ? values.shift() : token));
      return whole.with(0, tokens[0]).join(' ');
    }
    // The abbreviation must not stand for another text.
    const nth = forms.findIndex((form) => known.get(form) === before);
    return nth < 0 ? text : abbreviated(tokens, SHOWN - nth);
  };
  return (table) => table.replace(/^(?!== ).*$/gm, (line) => line.replace(TEXT, rewrite));
}

/** Returns the content of a table with these lines, or its lines with whole texts. */
export function rewritten(table: Table, lines = contentOf(table)): string {
  const rewrite = rewriter();
  TABLES.slice(0, TABLES.indexOf(table)).map(contentOf).forEach(rewrite);
  return rewrite(lines);
}

function contentOf(table: Table): string {
  return readFileSync(join(import.meta.dirname, '..', table), 'utf8');
}

/** The lines of all tables that users see, without headings, levels, titles and log prefixes. */
export const ALL_LINES: readonly string[] = TABLES.flatMap((table) => {
  const lines = rewritten(table).match(/^(?!== ).*$/gm) ?? [];
  if (table === 'fault-texts.txt') return lines.map((line) => line.replace(/^.*\|/, '').trim());
  const prefix = table === 'entry-texts.txt' ? /^\w+: (?:::.*?::)?/ : /^(?:\[[^\]]*\]|>) /;
  return lines.flatMap((line) => line.replace(prefix, '').split(LINE_BREAK));
});
