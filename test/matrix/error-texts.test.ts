import { describe, expect, it } from 'vitest';
import { SCENES } from './error-texts/scenes.ts';
import { readTexts } from './error-texts/table.ts';

const TEXTS = readTexts();

describe('the table of error texts', () => {
  // Written anew by `vitest run --project matrix -u`; what has changed is then to be read.
  it('has a text for everything that can go wrong, in that order, and no other', async () => {
    const sections: string[] = [];
    for (const { when, play } of SCENES) sections.push(`== ${when}\n\n${(await play()).join('\n\n')}\n`);
    await expect(sections.join('\n')).toMatchFileSnapshot('error-texts.txt');
  });

  it.each(SCENES)('$when', async ({ when, play }) => {
    expect((await play()).join('\n\n')).toBe(TEXTS.get(when));
  });
});

describe('the voice of the error texts', () => {
  it.each([...TEXTS])('%s', (_when, text) => {
    const sentences = text.replace(/^\[\w+\].*$/gm, '').replace(/"[^"]*"/g, '""');
    // Whole sentences, no exclamation, no stack, no name of anything inside, nobody to blame.
    expect(sentences).not.toMatch(/!|\bat \S+\.[jt]s:\d+|Promise|undefined|\[object|`|please(?! report)|sorry|oops/i);
    for (const line of sentences.split('\n').filter((each) => each !== '')) {
      expect(line).toMatch(/^[A-Z1-9“"].*[.?…]$|^(?:base-url|dry-run|reset-target|on-lost-response) .*[.?]$/);
    }
  });
});
