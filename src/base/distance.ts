/** The maximum length of the compared texts, because the time is proportional to the product of their lengths. */
export const COMPARED_CHARACTERS = 100;

/**
 * Returns the edit distance between two texts: the number of insertions, deletions, substitutions and transpositions of
 * adjacent characters that turn one text into the other. Compares only the first 100 characters of each. Packages such
 * as fastest-levenshtein count a transposition as two edits, so "slwo" would be too far from "slow".
 */
export function editDistance(one: string, other: string): number {
  const rows = Array.from(one.slice(0, COMPARED_CHARACTERS));
  const columns = Array.from(other.slice(0, COMPARED_CHARACTERS));
  // The distances between the last two prefixes of `one` and every prefix of `other`.
  let before: readonly number[] = [];
  let distances: readonly number[] = [0, ...columns.map((_, column) => column + 1)];
  for (const [row, mark] of rows.entries()) {
    const next = [row + 1];
    for (const [column, otherMark] of columns.entries()) {
      const [replace = 0, remove = 0] = distances.slice(column, column + 2);
      const insert = next[column] ?? 0;
      const isExchanged = mark === columns[column - 1] && otherMark === rows[row - 1];
      const exchange = isExchanged ? (before[column - 1] ?? Infinity) : Infinity;
      next.push(Math.min(replace + (mark === otherMark ? 0 : 1), remove + 1, insert + 1, exchange + 1));
    }
    [before, distances] = [distances, next];
  }
  return distances.at(-1) ?? 0;
}
