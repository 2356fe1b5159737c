// The words of the tables of texts, without what differs from one run of the tests to the next.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const TABLES = ['error-texts.txt'].map((name) => join(import.meta.dirname, '..', 'matrix', name));

/**
 * The words of each sentence of a text. Ids, numbers, durations, quotations, paths and punctuation are left out, and so
 * are messages of Node.js or the system, which tests must be able to raise.
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

/** Every sequence of `length` words in the tables; headings and titles of annotations do not count. */
export function pinnedSequences(length: number): ReadonlySet<string> {
  const tables = TABLES.map((path) => readFileSync(path, 'utf8').replace(/^(?:== |\[\w+\]).*$/gm, ''));
  return new Set(tables.flatMap((table) => sequencesOf(table, length)));
}
