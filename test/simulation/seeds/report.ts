import type { Examined } from './examine.ts';
import { asReplay, shrink } from './shrink.ts';

/** What somebody needs who has to find out why a life went wrong: its smallest form, how to live it again, its log. */
export async function reportOf(failed: Examined): Promise<string> {
  const smallest = await shrink(failed);
  return [
    `Broken in a life of seed ${failed.spec.seed}:`,
    ...failed.findings.map(({ law, what }) => `  ${law}: ${what}`),
    'Shrunk, this life breaks:',
    ...smallest.findings.map(({ law, what }) => `  ${law}: ${what}`),
    'To live it again:',
    `  npm run simulate -- --replay '${asReplay(smallest.spec).replaceAll("'", String.raw`'\''`)}'`,
    'Its log:',
    ...smallest.facts.log.map((line) => `  ${line.slice(0, 300).replaceAll('\n', ' ')}`),
  ].join('\n');
}
