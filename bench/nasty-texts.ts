// What a hostile or broken service may repeat until a body is full.

const UNITS: Readonly<Record<string, string>> = {
  letters: 'x',
  'unclosed titles': '<title',
  tokens: '"token":"',
  'token fields': '"token" : "abcdef",',
  escapes: '\u001B',
  'unfinished control sequences': '\u001B[',
  'unfinished terminal commands': '\u001B]',
  'colors between letters': 'a\u001B[31m',
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
  'nested encodings': '%25255Cu005cu0026#37;',
  'terminal strings': '\u001B]%\u009D',
  brackets: '[',
  braces: '{"a":',
  'empty lists': '[],',
  'rows without an id': '{"a":1},',
  colons: ':',
  commas: ',',
  digits: '1',
  'white space': ' ',
  'line breaks': '\r\n',
  emoji: '\u{1F600}',
  'halves of emoji': '\uD83D',
  'wide letters with combining marks': '字\u0301',
  'combining marks of two classes': '\u0301\u0316',
  slashes: '/',
  'prefixes of keys': 'ak_',
  'prefixes of tokens': 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.',
  'workflow commands': '##[error]::',
  'handshake errors': 'SSL routines:',
  'proxy errors': 'tunneling socket could not be established, ',
};

/** A text that fills a body of any size. */
export interface Shape {
  readonly name: string;
  /** Returns a text that has about this many bytes, once encoded. Its last character differs, so patterns fail there. */
  readonly fill: (bytes: number, encode?: (text: string) => string) => string;
}

/** Percent-encodes every character. */
function percentEncoded(text: string): string {
  return [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
}

/** Returns all shapes, and some that repeat the secrets. */
export function shapesWith(secrets: string): readonly Shape[] {
  const repeated = {
    secrets,
    'secrets, percent-encoded': percentEncoded(secrets),
    'secrets whose first letters are encoded': secrets.replace(/\b[a-z]/gi, percentEncoded),
    'a secret and an escape': `${secrets.split(' ')[0]}\\"`,
  };
  const shapes = Object.entries({ ...UNITS, ...repeated }).map(
    ([name, unit]): Shape => ({
      name,
      fill: (bytes, encode = (text) => text) => {
        const bytesOfUnit = Buffer.byteLength(encode(unit.repeat(64))) / 64;
        return `${unit.repeat(Math.max(1, Math.floor((bytes - 64) / bytesOfUnit)))}!`;
      },
    }),
  );
  const nested: Shape = { name: 'nested lists', fill: (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2) };
  const list: Shape = { name: 'a list of lists', fill: (bytes) => `[${'[],'.repeat(bytes / 3 - 2)}1]` };
  return [...shapes, nested, list];
}
