// Searches texts for secrets: whole, in part, encoded, and interrupted by invisible characters.
/** So many characters of a secret in a row are a part of it, and no coincidence. */
const PART = 12;
/** The same in base64: four characters for three. */
const BASE64_PART = 16;

/** Parts of secrets to look for. Every part of `length` characters contains one of the `samples`. */
interface Wanted {
  readonly wholes: readonly string[];
  readonly samples: readonly string[];
  readonly length: number;
}

export class SecretSearch {
  readonly #plain: Wanted;
  readonly #base64: Wanted;

  constructor(secrets: readonly string[]) {
    this.#plain = wanted(secrets, PART);
    this.#base64 = wanted(secrets.flatMap(inBase64), BASE64_PART);
  }

  /** A part of a secret that a reader of the text could decode; undefined if it contains none. */
  find(text: string): string | undefined {
    for (const reading of readingsOf(text)) {
      const found = partIn(reading, this.#plain) ?? partIn(reading, this.#base64);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with these
const ESCAPES = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]+[0-~]/g;
/** Control, format and unassigned characters; the line break too, since a secret may be wrapped. */
const INVISIBLE = /[\p{C}\u2028\u2029]/gu;
/** A text may be encoded, and encoded again in another way. */
const MOST_DECODINGS = 2;

/** A text as it is, without what cannot be seen, and decoded. */
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

/** What all base64 texts with this secret in them have in common, by its place among their groups of three bytes. */
function inBase64(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from('\0'.repeat(before) + secret);
    const first = Math.ceil((before * 8) / 6);
    const whole = bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Any part of twice the length of a sample contains a whole one, if they stand side by side. */
function wanted(texts: readonly string[], length: number): Wanted {
  const wholes = [...new Set(texts)];
  const size = length / 2;
  const samples = wholes.flatMap((whole) =>
    Array.from({ length: Math.floor(whole.length / size) }, (_, at) => whole.slice(at * size, (at + 1) * size)),
  );
  return { wholes, samples: [...new Set(samples)], length };
}

function partIn(text: string, { wholes, samples, length }: Wanted): string | undefined {
  if (!samples.some((sample) => text.includes(sample))) return undefined;
  for (const whole of wholes) {
    for (let at = 0; at + length <= whole.length; at += 1) {
      const part = whole.slice(at, at + length);
      if (text.includes(part)) return part;
    }
  }
  return undefined;
}
