/** The maximum length of the compared texts, because the time is proportional to the product of their lengths. */
const LONGEST = 100;

/**
 * Returns the Levenshtein distance of two texts: how many characters must be inserted, deleted or replaced to turn one
 * into the other. Compares only the first 100 characters of each.
 */
export function editDistance(one: string, other: string): number {
  const rows = Array.from(one.slice(0, LONGEST));
  const columns = Array.from(other.slice(0, LONGEST));
  // The distances between the beginning of `one` and every beginning of `other`.
  let distances = [0, ...columns.map((_, column) => column + 1)];
  for (const [row, mark] of rows.entries()) {
    const next = [row + 1];
    for (const [column, otherMark] of columns.entries()) {
      const [replace = 0, remove = 0] = distances.slice(column, column + 2);
      const insert = next[column] ?? 0;
      next.push(Math.min(replace + (mark === otherMark ? 0 : 1), remove + 1, insert + 1));
    }
    distances = next;
  }
  return distances.at(-1) ?? 0;
}
