// The words of the texts that people read, without the parts that vary between steps.

/**
 * The words of each sentence in a text, without ids, numbers, durations, quotations, paths, punctuation, the names of
 * inputs and pipelines, and messages of Node.js or the system, which tests must be able to raise.
 */
export function sentencesOf(text: string): readonly (readonly string[])[] {
  const plain = text
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\b(?:E[A-Z]{3,}|[A-Z]\w*Error): [^.)\n]*|\bInput /g, ' ')
    .replace(/"[^"\n]*"|(?<![a-z])'[^'\n]*'|\S*[/_]\S*|\borders\b/gi, ' ')
    .replace(/\\[a-z]/g, ' ');
  return plain
    .split(/[.?!](?=\s|$)|\n/)
    .map((sentence) => sentence.toLowerCase().match(/(?<![\w-])[a-z]+(?:['’][a-z]+)*(?![\w-])/g) ?? []);
}

/** Every sequence of `length` consecutive words. */
export function sequencesOf(words: readonly string[], length: number): readonly string[] {
  return words.slice(length - 1).map((_, from) => words.slice(from, from + length).join(' '));
}
