import type { Spelling } from '../run/suggestions.ts';
import { UNEVALUATED } from './input-reader.ts';

/* How people write the names of pipelines in a workflow, and how to correct what YAML or GitHub made of them. */

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
  [/\$\{\{.*\}\}/, `The entry ${UNEVALUATED}`],
  [/^https?:\/\//i, 'Enter only the name or the UUID, without the rest of the address.'],
  [/^Array$/, `GitHub turns a list into the text Array. To pass a list, use \${{ join(…, fromJSON('"\\n"')) }}.`],
  [/^Object$/, 'GitHub turns an object into the text Object. To pass a name, use the field that contains it.'],
  [
    /^(?:\$(?:env:)?\{?\w+\}?|%\w+%)$/,
    'Runners do not replace shell variables in inputs. To pass an environment variable, use ${{ env.NAME }}.',
  ],
];

function unwrapped(given: string): ReturnType<Spelling['unwrapped']> {
  let name = given;
  const advice = NOT_NAMES.filter(([pattern]) => pattern.test(given)).map(([, words]) => words);
  for (const [pattern, words] of WRAPPINGS) {
    if (!pattern.test(name)) continue;
    advice.push(words);
    name = name.replace(pattern, '$1').trim();
  }
  return { name, advice };
}

/** What an unknown name may be if the workflow does not say what its author meant. */
export const SPELLING: Spelling = { unwrapped, onCommas: ONE_PER_LINE, onJoinedLines: KEEP_LINES };
