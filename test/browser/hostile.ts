import { oneLine } from '../../src/base/safe-text.ts';

/** Thirty names that mean something to Markdown, HTML, Mermaid, a terminal, a program, or the eye. */
export const HOSTILE: readonly string[] = [
  'a:b:c',
  'x; y; z',
  '"quoted" \'single\'',
  'a | b || c',
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '</div><h1>big</h1>',
  '🚀 rocket 👩‍👩‍👧‍👦 🇦🇹',
  'مرحبا بالعالم خط الأنابيب',
  'שלום עולם',
  '日本語のパイプライン名前です長い長い長い長い',
  '\u202Eevil\u202C',
  'x'.repeat(500),
  'long words '.repeat(50),
  '#quot; &lt; &amp; #35;',
  '`code` ```mermaid',
  '%%{init: {"theme":"dark"}}%%',
  'section inner',
  '__proto__',
  'constructor',
  'title Foo',
  'click a href "javascript:alert(1)"',
  '---',
  '\n\ngantt\n',
  '[link](https://evil.test) ![i](https://evil.test/x.png)',
  '@octocat #1 org/repo#2',
  '$x$ {{y}} ${z} *a* _b_ ~~c~~',
  'a\\|b\\',
  'same',
  'same',
];

/** A name as a cell of the table is to show it: 40 columns of it. Letters of some scripts take two. */
export function shownInTable(name: string): string {
  return cut(name, 40);
}

/** The names beside the bars: 28 columns of each, and a number behind what would look like another. */
export function shownInChart(names: readonly string[]): readonly string[] {
  const cuts = names.map((name) => cut(name, 28));
  return cuts.map((name, index) => (cuts.indexOf(name) === index ? name : `${name} (2)`));
}

/** By hand what the action counts: no name here but one has letters of two columns, and that one no others. */
function cut(name: string, columns: number): string {
  const shown = oneLine(name, 80);
  const fit = /\p{Script=Katakana}/u.test(shown) ? columns / 2 : columns;
  return shown.length <= fit ? shown : `${shown.slice(0, Math.ceil(fit) - 1).trimEnd()}…`;
}
