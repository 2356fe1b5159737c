import { describe, expect, it } from 'vitest';
import { plainMarkdown } from '../../../../../src/action/report/summary/markdown.ts';

/** What a browser shows for the entities in a text. */
function shown(markdown: string): string {
  return markdown.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

describe('text from outside as Markdown', () => {
  it.each([
    ['a link', '[click](https://evil.test)'],
    ['an image', '![x](https://evil.test/x.png)'],
    ['a bare address', 'https://evil.test www.evil.test me@evil.test'],
    ['a tag', '<img src=x onerror=alert(1)><!-- -->'],
    ['an entity', '&lt;b&gt; &#60;'],
    ['a table', 'a | b || c'],
    ['code', '`x` ``y`` ~~~'],
    ['emphasis', '**a** _b_ ~~c~~'],
    ['a heading', '# heading'],
    ['a quotation', '> x'],
    ['an escape', 'a\\|b\\'],
    ['a formula', '$x$ ${y}'],
    ['an emoji by name', ':rocket:'],
    ['an alert', '[!WARNING]'],
    ['a list with numbers', '1. one 2) two'],
  ])('%s is what was written, and nothing else', (_, text) => {
    const markdown = plainMarkdown(text);
    expect(markdown).not.toMatch(/[<>[\]()|`*_~!"'$\\@{}:.]/);
    expect(shown(markdown).replaceAll('\u200B', '')).toBe(text);
  });

  it('pings nobody, and links no issue', () => {
    expect(shown(plainMarkdown('@octocat org/repo#12'))).toBe('@\u200Boctocat org/repo#\u200B12');
  });

  it('is one line of bounded length, without what a terminal obeys', () => {
    expect(plainMarkdown('a\n\n# b\u001B[31m\u202Ec')).toBe('a &#35;&#8203; b c');
    expect(plainMarkdown('x'.repeat(400))).toHaveLength(300);
    expect(plainMarkdown('x'.repeat(20), 5)).toBe('xxxx…');
  });

  it('keeps letters of every script, digits and emoji', () => {
    expect(plainMarkdown('Überlauf 日本語 🚀 7')).toBe('Überlauf 日本語 🚀 7');
  });

  it('does not break the row of a table', () => {
    expect(plainMarkdown('x | y\n| z |')).toBe('x &#124; y &#124; z &#124;');
  });
});
