/** The ways in which a service may write a secret that it was sent. */
export const SPELLINGS = [
  'raw',
  'percent',
  'percent_lower',
  'percent_all',
  /** Each character as `\\u0061` in the JSON of the body: as it is once the body is parsed. */
  'json_source',
  /** The same in the text itself. */
  'json_text',
  'base64_0',
  'base64_1',
  'base64_2',
  'control',
  'escape',
  /** Percent-encoded, with an escape sequence in each encoded character. */
  'percent_escape',
  'zero_width',
  /** Interrupted by the percent-encoded UTF-8 of an invisible character. */
  'percent_zero_width',
  /** Interrupted by the choice of a character set. */
  'charset',
  /** Each character as `\\u0061`, of which the backslash is percent-encoded. */
  'percent_json',
  /** Two times, interrupted in different ways. */
  'twice',
] as const;

export type Spelling = (typeof SPELLINGS)[number];

/** Spellings that a header cannot contain. */
export const NOT_IN_HEADERS: ReadonlySet<Spelling> = new Set<Spelling>([
  'control',
  'escape',
  'percent_escape',
  'zero_width',
  'charset',
  'twice',
]);

/** A secret in one of its spellings; `json_source` is for whoever writes the JSON. */
export function spelled(secret: string, as: Spelling): string {
  switch (as) {
    case 'raw':
    case 'json_source':
      return secret;
    case 'percent':
      return encodeURIComponent(secret);
    case 'percent_lower':
      return encodeURIComponent(secret).replace(/%../g, (escaped) => escaped.toLowerCase());
    case 'percent_all':
      return hexOf(secret, '%', 2);
    case 'json_text':
      return hexOf(secret, '\\u', 4);
    case 'base64_0':
    case 'base64_1':
    case 'base64_2':
      // As in the header of basic authentication: bytes before the secret shift its place.
      return Buffer.from('x'.repeat(Number(as.at(-1))) + secret).toString('base64');
    case 'control':
      return interrupted(secret, '\u0007');
    case 'escape':
      return interrupted(secret, '\u001b[1m');
    case 'percent_escape':
      return hexOf(secret, '%\u001b[m', 2);
    case 'zero_width':
      return interrupted(secret, '\u200b');
    case 'percent_zero_width':
      return interrupted(secret, '%E2%80%8B');
    case 'charset':
      return interrupted(secret, '\u001b(B');
    case 'percent_json':
      return hexOf(secret, '%5Cu', 4);
    case 'twice':
      return `${interrupted(secret, '\u200b')} ${interrupted(secret, '\u001b[1m')}`;
  }
}

/** A text as it stands between the quotation marks of JSON, each of its characters escaped. */
export function escapedAsJson(text: string): string {
  return hexOf(text, '\\u', 4);
}

function hexOf(text: string, before: string, digits: number): string {
  return Array.from(text, (each) => before + (each.codePointAt(0) ?? 0).toString(16).padStart(digits, '0')).join('');
}

function interrupted(text: string, by: string): string {
  return text.replace(/.{5}(?=.)/g, `$&${by}`);
}
