// Checks that error-texts.txt shows the texts that users see in each situation.
import { describe, expect, it } from 'vitest';
import { CLEANING_SCENES } from './error-texts/cleaning.ts';
import { INPUT_SCENES } from './error-texts/inputs.ts';
import { LOG_SCENES } from './error-texts/logs.ts';
import { RESOLVING_SCENES } from './error-texts/resolving.ts';
import { RUN_SCENES } from './error-texts/runs.ts';
import { shortened } from './error-texts/scene.ts';
import { SERVICE_SCENES } from './error-texts/service.ts';
import { LINE_BREAK, rewritten } from './error-texts/table.ts';

/** The scenes, in the order in which a user encounters them. */
const STEPS = [...INPUT_SCENES, ...SERVICE_SCENES, ...RESOLVING_SCENES, ...RUN_SCENES, ...CLEANING_SCENES];
const SCENES = [...STEPS, ...LOG_SCENES];

const SENTENCE = /^[A-Z1-9“"][^!`]*[.?…]$|^(?:base-url|dry-run|reset-target|on-lost-response) [^!`]*[.?]$/;
const INTERNAL = /\bat \S+\.[jt]s:\d+|Promise|undefined|\[object|please(?! report)|sorry|oops/i;

/** The sections of the table, with whole texts. */
const SECTIONS = rewritten('error-texts.txt').split(/^== /m);
const played: string[] = [];

describe('the messages that users see', () => {
  it.each(SCENES)(
    'in the scene "$when" match error-texts.txt, contain nothing internal, and annotations are complete sentences',
    async ({ when, play }) => {
      const texts = shortened(await play());
      const section = `${when}\n${texts.join('\n')}\n`;
      played.push(`== ${section}`);
      for (const shown of texts) {
        const text = shown.replace(/^\[[^\]]*\] | \(\d+ more like this\)$/g, '').replace(/"[^"]*"/g, '""');
        expect(text).not.toMatch(INTERNAL);
        if (shown.startsWith('[')) for (const line of text.split(LINE_BREAK)) expect(line).toMatch(SENTENCE);
      }
      // Mutation testing repeats only the tests that run the mutated code, and not the last one. Abbreviations drop entities.
      expect(section.replaceAll('&#39;', "'")).toBe(SECTIONS.find((one) => one.startsWith(`${when}\n`)));
    },
  );

  // `npx vitest run --project matrix -u` updates the table, although changed scenes fail. Review the diff.
  it('appear in error-texts.txt in the order of the scenes', async () => {
    expect(played, 'the number of scenes (run the whole file)').toHaveLength(SCENES.length);
    await expect(rewritten('error-texts.txt', played.join(''))).toMatchFileSnapshot('error-texts.txt');
  });
});
