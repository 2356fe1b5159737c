// The words of the texts that people read, without the parts that vary between steps.
import { linesOf } from '../matrix/error-texts/table.ts';

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

/** Every sequence of `length` words in the tables. */
export function pinnedSequences(length: number): ReadonlySet<string> {
  const lines = [...linesOf('entry-texts.txt'), ...linesOf('error-texts.txt'), ...linesOf('fault-texts.txt')];
  return new Set(lines.flatMap((line) => sequencesOf(line, length)));
}
