/** Minimum number of consecutive characters of a secret that rule out a coincidence. */
const PART = 8;
/** Minimum number of characters at either end of a secret, because text may be cut off inside a secret. */
const SEQUENCE = 6;
/** Maximum token length in characters. A longer token would not fit in a request head, which servers limit to 16 KB. */
export const LONGEST_SECRET = 16_384;
/** Maximum number of indexed sequences per spelling. Only a token of more than 4 KB has more, and is slow to index. */
const MOST_SEQUENCES = 4_096;

/** The position in a spelling at which a sequence of six characters ends. */
interface Place {
  readonly spelling: string;
  readonly end: number;
}

interface Redacted {
  /** The text without secrets. */
  readonly text: string;
  /** A score for the secrets found, which is their number of characters minus their number of pieces. */
  readonly found: number;
}

/** Finds secrets and parts of secrets in linear time, even if the secrets or the text are repetitive. */
export class SecretSearch {
  /** Matches characters that no secret contains. */
  readonly others: RegExp;
  /** Secrets shorter than a sequence. */
  readonly #short: readonly string[];
  /** The first position of each sequence in the spellings of the other secrets. */
  readonly #places = new Map<string, Place>();

  constructor(all: readonly string[]) {
    // The marker that a redaction leaves is not a secret.
    const secrets = all.map((each) => each.slice(0, LONGEST_SECRET)).filter((each) => /[^*]/.test(each));
    const marks = [...new Set(secrets.join('').replace(/[A-Za-z0-9]/g, ''))];
    this.others = new RegExp(`[^A-Za-z0-9+/${marks.map((mark) => `\\${mark}`).join('')}]+`, 'g');
    this.#short = secrets.filter(({ length }) => length < SEQUENCE);
    const spellings = secrets.flatMap(spellingsOf).filter(({ length }) => length >= SEQUENCE);
    // The first sequence of each spelling takes precedence over later ones, and the API key over tokens.
    for (const spelling of spellings) this.#index(spelling, SEQUENCE);
    for (const spelling of spellings) {
      const every = Math.ceil(spelling.length / MOST_SEQUENCES);
      for (let end = SEQUENCE; end <= spelling.length; end += every) this.#index(spelling, end);
    }
  }

  #index(spelling: string, end: number): void {
    const sequence = spelling.slice(end - SEQUENCE, end);
    if (!this.#places.has(sequence)) this.#places.set(sequence, { spelling, end });
  }

  /** Replaces secrets and parts of secrets with `***`. */
  redact(text: string): Redacted {
    const searched = inOneAlphabet(text);
    let safe = '';
    let done = 0;
    let found = 0;
    for (let end = SEQUENCE; end <= text.length; end += 1) {
      const match = end > done ? this.#matchAt(searched, end, done) : undefined;
      if (match === undefined) continue;
      const { from, to } = match;
      // Merge adjacent pieces.
      if (from > done || done === 0) safe += `${text.slice(done, from)}***`;
      // A secret in one piece scores higher than a secret in two pieces.
      found += to - from - 1;
      done = to;
    }
    safe += text.slice(done);
    const all = this.#short.reduce((rest, short) => rest.replaceAll(short, '***'), safe);
    return { text: all, found: all === safe ? found : found + 1 };
  }

  /** Returns the range, from `done` on, of the part of a secret that contains the sequence ending at `end`. */
  #matchAt(text: string, end: number, done: number): { from: number; to: number } | undefined {
    const place = this.#places.get(text.slice(end - SEQUENCE, end));
    if (place === undefined) return undefined;
    const { spelling } = place;
    const shift = place.end - end;
    // Beyond the end of either string, `charCodeAt` returns NaN, which equals nothing.
    const isSame = (at: number): boolean => text.charCodeAt(at) === spelling.charCodeAt(at + shift);
    let to = end;
    while (isSame(to)) to += 1;
    let from = end - SEQUENCE;
    // Before `done`, look back only far enough to confirm that this is part of a secret.
    while ((from > done || to - from < PART) && isSame(from - 1)) from -= 1;
    const isSecret = to - from >= PART || from + shift === 0 || to + shift === spelling.length;
    return isSecret ? { from: Math.max(from, done), to } : undefined;
  }
}

/** Maps both base64 alphabets, which differ in two characters, to the standard one. */
function inOneAlphabet(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/');
}

/** Returns a secret in each case, and the base64 that all strings with it share for each alignment of its first byte. */
function spellingsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const first = Math.ceil((before * 8) / 6);
    return bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
  });
  return [...[secret, secret.toLowerCase(), secret.toUpperCase()].map(inOneAlphabet), ...base64];
}
