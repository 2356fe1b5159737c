// Searches texts for secrets that are complete, partial, encoded, or interrupted by invisible characters.
/** How many consecutive characters of a secret prove that a match is no coincidence. */
const PART = 12;
/** The same length in base64, which encodes three characters as four. */
const BASE64_PART = 16;

export class SecretSearch {
  readonly #plain: readonly string[];
  readonly #base64: readonly string[];

  constructor(secrets: readonly string[]) {
    this.#plain = secrets.flatMap((secret) => [secret, secret.toLowerCase(), secret.toUpperCase()]);
    this.#base64 = [...new Set(secrets.flatMap(inBase64))];
  }

  /** Returns a part of a secret that a reader of the text could decode; undefined if the text contains none. */
  find(text: string): string | undefined {
    const found = readingsOf(text).flatMap(
      (reading) => partIn(reading, this.#plain, PART) ?? partIn(reading, this.#base64, BASE64_PART) ?? [],
    );
    return found[0];
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with these
const ESCAPES = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]+[0-~]/g;
/** Matches control, format and unassigned characters, including line breaks, because a secret may be wrapped. */
const INVISIBLE = /[\p{C}\u2028\u2029]/gu;
/** The maximum number of nested encodings that the search decodes. */
const MOST_DECODINGS = 2;

/** The text itself, the text without invisible characters, and the decoded text. */
function readingsOf(text: string): readonly string[] {
  const readings = [text, visible(text)];
  for (let times = 0; times < MOST_DECODINGS; times += 1) {
    const last = readings.at(-1) ?? '';
    if (!/[%\\]/.test(last)) break;
    readings.push(visible(withoutBackslashes(withoutPercents(last))));
  }
  return readings;
}

function visible(text: string): string {
  return text.replace(ESCAPES, '').replace(INVISIBLE, '');
}

function withoutPercents(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
}

function withoutBackslashes(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, hex?: string, one = '') =>
    hex === undefined ? String(one) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** The part that all base64 encodings of this secret in a text share, for each offset within a group of three bytes. */
function inBase64(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from('\0'.repeat(before) + secret);
    const first = Math.ceil((before * 8) / 6);
    const whole = bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** The first part of this length. Searching for slices of half the length is faster, and every part contains one. */
function partIn(text: string, wholes: readonly string[], length: number): string | undefined {
  const half = length / 2;
  return wholes
    .filter((whole) => slicesOf(whole, half, half).some((slice) => text.includes(slice)))
    .flatMap((whole) => slicesOf(whole, length, 1))
    .find((part) => text.includes(part));
}

function slicesOf(text: string, length: number, apart: number): string[] {
  const count = Math.floor((text.length - length) / apart) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, at) => text.slice(at * apart, at * apart + length));
}
