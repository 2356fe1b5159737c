/** How many names to suggest: more is a list, and nobody reads it. */
const SUGGESTIONS = 3;

/**
 * What is most like the name given, the nearest first; nothing when all is far off. Each candidate has several
 * spellings and is suggested once, by the nearest of them.
 */
export function nearest(given: string, candidates: readonly (readonly string[])[]): string[] {
  const wanted = fold(given);
  const tolerated = Math.max(2, Math.floor(wanted.length / 3));
  return candidates
    .flatMap((spellings) => nearestOf(wanted, spellings))
    .filter(({ away }) => away <= tolerated)
    .sort((a, b) => a.away - b.away)
    .slice(0, SUGGESTIONS)
    .map(({ name }) => name);
}

/** The nearest of a candidate's spellings; none for a candidate without any. */
function nearestOf(
  wanted: string,
  spellings: readonly string[],
): readonly { readonly name: string; readonly away: number }[] {
  return spellings
    .map((name) => ({ name, away: awayFrom(wanted, fold(name)) }))
    .sort((a, b) => a.away - b.away)
    .slice(0, 1);
}

function fold(name: string): string {
  return name
    .slice(0, 100)
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

/** A name that contains the other is one step away; otherwise the edits that lead from one to the other. */
function awayFrom(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length >= 3 && b.length >= 3 && (a.includes(b) || b.includes(a))) return 1;
  return edits(a, b);
}

/** Levenshtein's distance, a row at a time. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
