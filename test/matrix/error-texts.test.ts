// Checks that error-texts.txt shows every text that users see, under the situation in which they see it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLEANING_SCENES } from './error-texts/cleaning.ts';
import { INPUT_SCENES } from './error-texts/inputs.ts';
import { LOG_SCENES } from './error-texts/logs.ts';
import { RESOLVING_SCENES } from './error-texts/resolving.ts';
import { RUN_SCENES } from './error-texts/runs.ts';
import { SERVICE_SCENES } from './error-texts/service.ts';
import { LINE_BREAK } from './error-texts/table.ts';

/** The scenes, in the order in which a user encounters them. */
const STEPS = [...INPUT_SCENES, ...SERVICE_SCENES, ...RESOLVING_SCENES, ...RUN_SCENES];
const SCENES = [...STEPS, ...CLEANING_SCENES, ...LOG_SCENES];

/** A busy machine needs more than the default of five seconds. */
const LONG_MS = 60_000;

const SENTENCE = /^[A-Z1-9“"].*[.?…]$|^(?:base-url|dry-run|reset-target|on-lost-response) .*[.?]$/;
const NOT_FOR_USERS = /!|\bat \S+\.[jt]s:\d+|Promise|undefined|\[object|`|please(?! report)|sorry|oops/i;

/** Maps each heading of the table to its section. */
const sections = new Map(
  readFileSync(join(import.meta.dirname, 'error-texts.txt'), 'utf8')
    .split(/^== /m)
    .map((section): [string, string] => [section.slice(0, section.indexOf('\n')), section.trim()]),
);

const played: string[] = [];

describe('the texts that users see', () => {
  it.each(SCENES)(
    'are those of the table and whole sentences: $when',
    async ({ when, play }) => {
      const texts = await play();
      const section = `${when}\n${texts.join('\n')}`;
      played.push(`== ${section}\n`);
      for (const annotation of texts.filter((text) => text.startsWith('['))) {
        const text = annotation.replace(/^\[[^\]]*\] /, '').replace(/"[^"]*"/g, '""');
        expect(text).not.toMatch(NOT_FOR_USERS);
        for (const line of text.split(LINE_BREAK)) expect(line).toMatch(SENTENCE);
      }
      expect(section).toBe(sections.get(when));
    },
    LONG_MS,
  );

  // `npx vitest run --project matrix -u` rewrites the table after the scenes have failed. Review the diff.
  it('all appear in error-texts.txt, in the order of the scenes', async () => {
    await expect(played.join('')).toMatchFileSnapshot('error-texts.txt');
  });
});
