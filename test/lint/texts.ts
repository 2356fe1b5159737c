// The words of the texts that people read, without the parts that vary between steps.
import { ALL_LINES } from '../matrix/error-texts/table.ts';

/**
 * The words of each sentence in a text, without ids, numbers, durations, quotations, paths and punctuation, and without
 * messages of Node.js or the system, which tests must be able to raise.
 */
export function sentencesOf(text: string): readonly (readonly string[])[] {
  const plain = text
    .replace(/\b(?:E[A-Z]{3,}|[A-Z]\w*Error): [^.)\n]*/g, ' ')
    .replace(/"[^"\n]*"|(?<![a-z])'[^'\n]*'|\S*[/_]\S*/gi, ' ')
    .replace(/\\[a-z]/g, ' ');
  return plain
    .split(/[.?!](?=\s|$)|\n/)
    .map((sentence) => sentence.toLowerCase().match(/(?<![\w-])[a-z]+(?:['’-][a-z]+)*(?!\w)/g) ?? []);
}

/** Every sequence of `length` words within a sentence of the text. */
export function sequencesOf(text: string, length: number): readonly string[] {
  return sentencesOf(text).flatMap((words) =>
    words.slice(length - 1).map((_, from) => words.slice(from, from + length).join(' ')),
  );
}

const LINES_OF_WORDS = ALL_LINES.map((line) => sentencesOf(line).flat());
const PADDED_LINES = LINES_OF_WORDS.map((words) => ` ${words.join(' ')} `);

/** Every sequence of `length` words in the tables. */
export function pinnedSequences(length: number): ReadonlySet<string> {
  return new Set(ALL_LINES.flatMap((line) => sequencesOf(line, length)));
}

/** The greatest number of words of a pattern that a line of the tables contains in the same order. */
export function pinnedWords(pattern: string): number {
  const words = sentencesOf(pattern).flat();
  const counts = LINES_OF_WORDS.map((line) => {
    let last = -1;
    return words.filter((word) => {
      const next = line.indexOf(word, last + 1);
      if (next >= 0) last = next;
      return next >= 0;
    }).length;
  });
  return Math.max(...counts);
}

/** The greatest number of words of several texts that a line of the tables contains. Ignores single words. */
export function pinnedTogether(texts: readonly string[]): number {
  const all = texts.map((text) => ` ${sentencesOf(text).flat().join(' ')} `).filter((text) => /\w \w/.test(text));
  const different = [...new Set(all)];
  const counts = PADDED_LINES.map((line) => {
    const quoted = different.filter((text) => line.includes(text));
    const parts = quoted.filter((text) => !quoted.some((other) => other !== text && other.includes(text)));
    return parts.join('').trim().split(/ +/).length;
  });
  return Math.max(...counts);
}
