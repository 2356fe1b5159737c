/** So many characters of a secret in a row are no coincidence. */
const PART = 8;
/** At its ends fewer are enough: a text may be cut off there. */
const SEQUENCE = 6;
/** In characters. A longer token does not fit into the head of a request, which servers limit to 16 KB or less. */
export const LONGEST_SECRET = 16_384;
/** Sequences of a spelling that are indexed. Only a token of more than 4 KB has more, and would take long to learn. */
const MOST_SEQUENCES = 4_096;

/** Where a sequence of six characters ends. */
interface Place {
  readonly spelling: string;
  readonly end: number;
}

interface Redacted {
  /** Without secrets. */
  readonly text: string;
  /** How much of secrets there was: the characters, less the number of pieces. */
  readonly found: number;
}

/** Finds secrets and parts of them in a time that is linear in the text, whatever secrets and text repeat. */
export class SecretSearch {
  /** Matches what no secret contains. */
  readonly others: RegExp;
  /** Secrets shorter than a sequence. */
  readonly #short: readonly string[];
  /** The first place of each sequence in the spellings of the other secrets. */
  readonly #places = new Map<string, Place>();

  constructor(all: readonly string[]) {
    // What a redaction leaves is no secret.
    const secrets = all.map((each) => each.slice(0, LONGEST_SECRET)).filter((each) => /[^*]/.test(each));
    const marks = [...new Set(secrets.join('').replace(/[A-Za-z0-9]/g, ''))];
    this.others = new RegExp(`[^A-Za-z0-9+/${marks.map((mark) => `\\${mark}`).join('')}]+`, 'g');
    this.#short = secrets.filter(({ length }) => length < SEQUENCE);
    const spellings = secrets.flatMap(spellingsOf).filter(({ length }) => length >= SEQUENCE);
    // Beginnings count before others, and those of the API key before those of tokens.
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

  /** Replaces secrets and parts of them by `***`. */
  redact(text: string): Redacted {
    const searched = inOneAlphabet(text);
    let safe = '';
    let done = 0;
    let found = 0;
    for (let end = SEQUENCE; end <= text.length; end += 1) {
      const match = end > done ? this.#matchAt(searched, end, done) : undefined;
      if (match === undefined) continue;
      const { from, to } = match;
      // Next to one another they are one.
      if (from > done || done === 0) safe += `${text.slice(done, from)}***`;
      // A secret in one piece counts for more than one in two.
      found += to - from - 1;
      done = to;
    }
    safe += text.slice(done);
    const all = this.#short.reduce((rest, short) => rest.replaceAll(short, '***'), safe);
    return { text: all, found: all === safe ? found : found + 1 };
  }

  /** The rest, from `done` on, of the part of a secret around the sequence that ends here. */
  #matchAt(text: string, end: number, done: number): { from: number; to: number } | undefined {
    const place = this.#places.get(text.slice(end - SEQUENCE, end));
    if (place === undefined) return undefined;
    const { spelling } = place;
    const shift = place.end - end;
    // Beyond the ends of either, `charCodeAt` returns NaN, which equals nothing.
    const isSame = (at: number): boolean => text.charCodeAt(at) === spelling.charCodeAt(at + shift);
    let to = end;
    while (isSame(to)) to += 1;
    let from = end - SEQUENCE;
    // Before `done` only as far as it takes to know that this is a part.
    while ((from > done || to - from < PART) && isSame(from - 1)) from -= 1;
    const isSecret = to - from >= PART || from + shift === 0 || to + shift === spelling.length;
    return isSecret ? { from: Math.max(from, done), to } : undefined;
  }
}

/** Base64 has two alphabets, which differ in two characters. */
function inOneAlphabet(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/');
}

/** A secret as it is, and what any base64 text that contains it has in common, for each place of its first byte. */
function spellingsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const first = Math.ceil((before * 8) / 6);
    return bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
  });
  return [inOneAlphabet(secret), ...base64];
}
