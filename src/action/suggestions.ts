import type { Clock } from '../base/clock.ts';
import { COMPARED_CHARACTERS, editDistance } from '../base/distance.ts';
import { inSlices } from '../base/slices.ts';
import { asSeen, LONGEST_NAME, listed, oneLine } from '../base/text.ts';
import { asUuid } from '../base/uuid.ts';
import { type Lookup, lookUp, namesOf } from '../run/lookup.ts';
import type { ListedPipeline } from '../service/api.ts';
import { EXPRESSION, UNEVALUATED } from './input-reader.ts';

/* What an unknown name of a pipeline may mean: how people write names in a workflow, and which names are similar. */

/** The maximum number of unknown names to give advice about. If there are more, they probably have the same cause. */
const MOST_ADVISED = 3;
const MOST_SUGGESTIONS = 3;
/** The maximum number of words of a name to look up. The number of lookups grows with the square of this number. */
const MOST_WORDS = 20;

const ONE_PER_LINE = 'Enter one name per line.';
const KEEP_LINES = `${ONE_PER_LINE} To keep the line breaks, begin the YAML block with | instead of >.`;

/** What people write around a name, which the pattern's only group captures, and how to correct it. */
const WRAPPINGS: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/^-\s+(.*)$/, `Remove the dash. The input is text, not a YAML list. ${ONE_PER_LINE}`],
  [/^\[["']?(.*?)["']?\]$/, `Remove the brackets and quotation marks. The input is text, not a list. ${ONE_PER_LINE}`],
  [/^(?:(.*?)\s)?#(?:\s.*)?$/, 'Remove the comment. In a YAML block, a comment becomes part of the text.'],
  [/^"(.*", .*)"$/, `Remove the quotation marks and commas. ${ONE_PER_LINE}`],
  [/^"(.*)"$/, 'Remove the quotation marks. They are part of the value.'],
  [/^'(.*)'$/, 'Remove the quotation marks. They are part of the value.'],
];

/** What people pass on instead of a name, and how to correct it. */
const NOT_NAMES: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [EXPRESSION, `The entry ${UNEVALUATED}`],
  [/^https?:\/\//i, 'Enter only the name or the UUID, without the rest of the URL.'],
  [/^Array$/, `GitHub converts a list to the text Array. To pass a list, use \${{ join(…, fromJSON('"\\n"')) }}.`],
  [/^Object$/, 'GitHub converts an object to the text Object. To pass a name, use the field that contains it.'],
  [
    /^(?:\$(?:env:)?\{?\w+\}?|%\w+%)$/,
    'Runners do not expand shell variables in inputs. To pass an environment variable, use ${{ env.NAME }}.',
  ],
];

/** Returns the name within what the user wrote, with a sentence about each mistake. */
function unwrapped(given: string): { readonly name: string; readonly advice: readonly string[] } {
  let name = given;
  const advice = NOT_NAMES.filter(([pattern]) => pattern.test(given)).map(([, words]) => words);
  for (const [pattern, words] of WRAPPINGS) {
    if (!pattern.test(name)) continue;
    advice.push(words);
    name = name.replace(pattern, '$1').trim();
  }
  return { name, advice };
}

/** Returns sentences about how to correct each of the first few unknown names. */
export async function adviseOn(
  unknown: readonly string[],
  pipelines: readonly ListedPipeline[],
  clock: Clock,
): Promise<ReadonlyMap<string, string>> {
  const drafts = [];
  for (const given of unknown.slice(0, MOST_ADVISED)) {
    const { advice, name } = unwrapped(given.slice(0, LONGEST_NAME));
    drafts.push({ given, advice: [...advice], parts: partsOf(name), similar: await similarTo(name, pipelines, clock) });
  }
  const texts = drafts.flatMap(({ parts, similar }) => [...parts, ...similar.flatMap(namesOf)]);
  const find = await lookUp(texts, pipelines, clock);
  return new Map(
    drafts.map(({ advice, given, parts, similar }) => {
      if (advice.length === 0 && /[,;]|\\n/.test(given)) advice.push(ONE_PER_LINE);
      else if (advice.length === 0 && parts.some((part) => asUuid(part) !== undefined || find(part).length > 0))
        advice.push(KEEP_LINES);
      if (similar.length > 0)
        advice.push(
          `Did you mean ${listed(
            similar.map((pipeline) => inputFor(pipeline, find)),
            'or',
          )}?`,
        );
      return [given, advice.join(' ')];
    }),
  );
}

/** Returns the texts that may be names if a line contains several: all sequences of words. */
function partsOf(line: string): string[] {
  const words = line.split(/\s+/).slice(0, MOST_WORDS);
  const parts = words.flatMap((_, from) => words.slice(from).map((__, count) => words.slice(from, from + count + 1)));
  return parts.map((part) => part.join(' '));
}

/** Returns the pipelines with the most similar names: those that the fewest edits turn into `name`. */
async function similarTo(
  name: string,
  pipelines: readonly ListedPipeline[],
  clock: Clock,
): Promise<readonly ListedPipeline[]> {
  const wanted = folded(asSeen(name));
  let closest: readonly { readonly pipeline: ListedPipeline; readonly edits: number }[] = [];
  for await (const pipeline of inSlices(pipelines, clock)) {
    const edits = Math.min(...namesOf(pipeline).map((each) => editsOf(each, wanted)));
    if (edits === Infinity) continue;
    closest = [...closest, { pipeline, edits }].sort((a, b) => a.edits - b.edits).slice(0, MOST_SUGGESTIONS);
  }
  return closest.map(({ pipeline }) => pipeline);
}

/** People confuse upper and lower case, and the separators of words. */
function folded(name: string): string {
  return name
    .slice(0, COMPARED_CHARACTERS)
    .toLowerCase()
    .replace(/[\s_-]/g, '');
}

/** Returns the edits between a name and a folded one, or Infinity if they are more than a third of the name's length. */
function editsOf(name: string, wanted: string): number {
  const most = Math.floor(Math.min(name.length, COMPARED_CHARACTERS) / 3);
  const letters = folded(name);
  // The difference in length is a lower bound, so most names of a long list need no comparison.
  if (Math.abs(letters.length - wanted.length) > most) return Infinity;
  const edits = editDistance(letters, wanted);
  return edits <= most ? edits : Infinity;
}

/** Returns what to enter for a pipeline: a name in quotation marks if it can be pasted, otherwise the UUID. */
function inputFor(pipeline: ListedPipeline, find: Lookup): string {
  const name = namesOf(pipeline).find((each) => isPastable(each, pipeline, find));
  const [shown = ''] = namesOf(pipeline);
  return name === undefined ? `"${pipeline.id}" (${oneLine(shown, 80).replaceAll('"', "'")})` : `"${name}"`;
}

/**
 * Returns whether a name finds only this pipeline, the log shows the name unchanged, and a workflow can contain the name
 * in quotation marks.
 */
function isPastable(name: string, pipeline: ListedPipeline, find: Lookup): boolean {
  const [only, another] = find(name);
  if (only !== pipeline || another !== undefined || asUuid(name) !== undefined) return false;
  return oneLine(name, 200) === name && !/["\\]|\$\{\{/.test(name);
}
