// error-texts.txt shows every text that people see, under the situation in which they see it.
import { describe, expect, it } from 'vitest';
import { CLEANING_SCENES } from './error-texts/cleaning.ts';
import { INPUT_SCENES } from './error-texts/inputs.ts';
import { LOG_SCENES } from './error-texts/logs.ts';
import { RESOLVING_SCENES } from './error-texts/resolving.ts';
import { RUN_SCENES } from './error-texts/runs.ts';
import { SERVICE_SCENES } from './error-texts/service.ts';
import { LINE_BREAK } from './error-texts/table.ts';

/** In the order in which a user meets them. */
const SCENES = [
  ...INPUT_SCENES,
  ...SERVICE_SCENES,
  ...RESOLVING_SCENES,
  ...RUN_SCENES,
  ...CLEANING_SCENES,
  ...LOG_SCENES,
];

/** A machine that is busy needs more than the usual five seconds. */
const LONG_MS = 60_000;

const played = Promise.all(SCENES.map(async ({ when, play }) => ({ when, texts: await play() })));

describe('the texts that people see', () => {
  // `npx vitest run --project matrix -u` writes the table again. Read the difference.
  it(
    'are those of error-texts.txt',
    async () => {
      const sections = (await played).map(({ when, texts }) => `== ${when}\n${texts.join('\n')}\n`);
      await expect(sections.join('')).toMatchFileSnapshot('error-texts.txt');
    },
    LONG_MS,
  );

  it(
    'are whole sentences without exclamations, apologies, code or names of internals',
    async () => {
      const annotations = (await played).flatMap(({ texts }) => texts).filter((text) => text.startsWith('['));
      for (const annotation of annotations) {
        const text = annotation.replace(/^\[[^\]]*\] /, '').replace(/"[^"]*"/g, '""');
        expect(text).not.toMatch(/!|\bat \S+\.[jt]s:\d+|Promise|undefined|\[object|`|please(?! report)|sorry|oops/i);
        for (const line of text.split(LINE_BREAK)) {
          expect(line).toMatch(/^[A-Z1-9“"].*[.?…]$|^(?:base-url|dry-run|reset-target|on-lost-response) .*[.?]$/);
        }
      }
    },
    LONG_MS,
  );
});
