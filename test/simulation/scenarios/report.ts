import type { Examined } from './examine.ts';
import { asReplay } from './replay.ts';
import { shrink } from './shrink.ts';

/** What somebody needs who has to find out why a scenario went wrong: its smallest form, how to run it again, its log. */
export async function reportOf(failed: Examined): Promise<string> {
  const smallest = await shrink(failed);
  return [
    `Violated in the scenario of seed ${failed.spec.seed}:`,
    ...failed.violations.map(({ invariant, what }) => `  ${invariant}: ${what}`),
    'The shrunk scenario violates:',
    ...smallest.violations.map(({ invariant, what }) => `  ${invariant}: ${what}`),
    'To run it again:',
    `  npm run simulate -- --replay '${asReplay(smallest.spec).replaceAll("'", String.raw`'\''`)}'`,
    'Its log:',
    ...smallest.facts.log.map((line) => `  ${line.slice(0, 300).replaceAll('\n', ' ')}`),
  ].join('\n');
}
