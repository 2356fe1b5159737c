// External text is escaped in Markdown, so that readers see the text unchanged.
import { describe, expect, it } from 'vitest';
import { codeLink, cutToColumns, plainMarkdown } from '../../../../../src/action/report/summary/markdown.ts';

/** Decodes numeric entities as a browser does. */
function shown(markdown: string): string {
  return markdown.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

const LINKS = ['[click](https://evil.test)', '![x](https://evil.test/x.png)', 'https://evil.test me@evil.test'];
const HTML = ['<img src=x onerror=alert(1)><!-- -->', '&lt;b&gt; &#60;', 'a\\|b\\', '$x$ ${y}', ':rocket:'];
const BLOCKS = ['a | b || c', '`x` ``y`` ~~~', '**a** _b_ ~~c~~', '# heading', '> x', '1. one 2) two', '[!WARNING]'];

describe('external text in Markdown', () => {
  it.each([...LINKS, ...HTML, ...BLOCKS])('appears literally even if it is "%s"', (text) => {
    const markdown = plainMarkdown(text);
    expect(markdown).not.toMatch(/[<>[\]()|`*_~!"'$\\@{}:.]/);
    expect(shown(markdown).replaceAll('\u200B', '')).toBe(text);
  });

  it.each([
    [
      'mentions no user and links to no issue',
      '@octocat org/repo#12',
      '&#64;&#8203;octocat org&#47;repo&#35;&#8203;12',
    ],
    ['is a single line without terminal escapes', 'a\n\n# b\u001B[31m\u202Ec', 'a &#35;&#8203; b c'],
    ['has at most 300 characters', 'x'.repeat(400), `${'x'.repeat(299)}…`],
    ['keeps letters of every script, digits and emoji', 'Überlauf 日本語 🚀 7', 'Überlauf 日本語 🚀 7'],
  ])('%s', (_, text, markdown) => {
    expect(plainMarkdown(text)).toBe(markdown);
  });

  it('has at most the given number of characters', () => {
    expect(plainMarkdown('x'.repeat(20), 5)).toBe('xxxx…');
  });
});

const cuts = { '12345': '12345', 日本語: '日本…', 'abc def': 'abc…' };
it.each(Object.entries(cuts))('the text "%s" is cut to five columns as "%s"', (text, cut) => {
  expect(cutToColumns(text, 5)).toBe(cut);
});

it('a linked id encodes characters that would end the link or the table cell, or form an entity', () => {
  const link = codeLink('id', "https://app.example.test/(a)|b*'!?c=1&copy=2&lt;#[x]\\^");
  expect(link).toBe('[`id`](https://app.example.test/%28a%29%7Cb%2A%27%21?c=1&amp;copy=2&amp;lt;#%5Bx%5D%5C%5E)');
});
