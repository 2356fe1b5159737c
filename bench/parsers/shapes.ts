/** What a hostile or broken service may repeat until a body is full. */
const SHAPES: Readonly<Record<string, string>> = {
  letters: 'x',
  'titles that do not end': '<title',
  tokens: '"token":"',
  'tokens apart': '"token" : "abcdef",',
  escapes: '\u001B',
  'control sequences that do not end': '\u001B[',
  'commands that do not end': '\u001B]',
  'colours between letters': 'a\u001B[31m',
  'control characters between letters': 'a\u0000',
  'zero-width spaces between letters': 'a\u200B',
  backslashes: '\\',
  quotes: '"',
  'percent-encoding': '%41',
  'JSON escapes': '\\u0041',
  entities: '&amp;',
  'control characters and ampersands': '\u0001&',
  'control characters and percent signs': '\u0001%',
  'invisible characters, percent-encoded': 'a%E2%80%8B',
  'encodings of encodings': '%25255Cu005cu0026#37;',
  'strings of the terminal': '\u001B]%\u009D',
  brackets: '[',
  braces: '{"a":',
  'empty lists': '[],',
  digits: '1',
  'white space': ' ',
  'line breaks': '\r\n',
  emoji: '\u{1F600}',
  'halves of emoji': '\uD83D',
  'wide letters with marks': '字\u0301',
  slashes: '/',
  'beginnings of keys': 'ak_',
  'beginnings of tokens': 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.',
  'commands of a runner': '##[error]::',
  'errors of a handshake': 'SSL routines:',
  'errors of a proxy': 'tunneling socket could not be established, ',
};

/** A text that is `bytes` long once `encoded`, of something that is repeated, with another end. */
export interface Shape {
  readonly name: string;
  text(bytes: number, encoded?: (text: string) => string): string;
}

/** The shapes, and the secrets themselves as one. */
export function shapesWith(secrets: string): readonly Shape[] {
  return Object.entries({ ...SHAPES, secrets }).map(([name, unit]) => ({
    name,
    text(bytes, encoded = (text) => text) {
      const sample = 64;
      const each = Buffer.byteLength(encoded(unit.repeat(sample))) / sample;
      return `${unit.repeat(Math.floor((bytes - 64) / each))}!`;
    },
  }));
}
