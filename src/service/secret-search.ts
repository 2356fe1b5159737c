/** So many characters of a secret in a row are no coincidence. */
const PART = 8;
/** At its ends fewer are enough: a text may be cut off there. */
const SEQUENCE = 6;
/** In characters. A longer token does not fit into the head of a request, which servers limit to 16 KB or less. */
export const LONGEST_SECRET = 16_384;
/** Sequences of a spelling that are indexed. Only a token of more than 4 KB has more, and would take long to learn. */
const MOST_SEQUENCES = 4_096;
/** Slots of the table that are tried for a sequence. Only a token that was made for it needs more. */
const MOST_PROBES = 16;

/** Stands between two spellings. */
const END = -1;

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
  /** Every spelling of every other secret. */
  readonly #codes: Int32Array;
  /** A hash table of the sequences of six characters: where each one ends in `#codes`, or 0. */
  readonly #table: Int32Array;
  readonly #shift: number;
  /** The characters of the text that is searched. */
  #text = new Int32Array(1_024);

  constructor(all: readonly string[]) {
    // What a redaction leaves is no secret.
    const secrets = all.map((each) => each.slice(0, LONGEST_SECRET)).filter((each) => /[^*]/.test(each));
    const marks = [...new Set(secrets.join('').replace(/[A-Za-z0-9]/g, ''))];
    this.others = new RegExp(`[^A-Za-z0-9+/${marks.map((mark) => `\\${mark}`).join('')}]+`, 'g');
    this.#short = secrets.filter(({ length }) => length < SEQUENCE);
    const spellings = secrets.flatMap(spellingsOf).filter(({ length }) => length >= SEQUENCE);
    this.#codes = codesOf(spellings);
    const most = spellings.reduce((sum, { length }) => sum + Math.min(length, 2 * MOST_SEQUENCES), 1);
    const bits = Math.ceil(Math.log2(most)) + 1;
    this.#table = new Int32Array(2 ** bits);
    this.#shift = 32 - bits;
    this.#index(spellings);
  }

  /** Replaces secrets and parts of them by `***`. */
  redact(text: string): Redacted {
    if (text.length > this.#text.length) this.#text = new Int32Array(text.length);
    for (let at = 0; at < text.length; at += 1) this.#text[at] = codeAt(text, at);
    let safe = '';
    let done = 0;
    let found = 0;
    for (let at = 0, hash = 0; at < text.length; at += 1) {
      hash = hashWith(hash, this.#text[at] ?? END);
      const match = at < done ? undefined : this.#matchAt(at, hash, done, text.length);
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
  #matchAt(at: number, hash: number, done: number, length: number): { from: number; to: number } | undefined {
    const text = this.#text;
    const codes = this.#codes;
    const end = this.#table[this.#slotOf(text, at, hash)] ?? 0;
    if (end === 0) return undefined;
    const shift = end - at;
    let to = at + 1;
    while (to < length && text[to] === codes[to + shift]) to += 1;
    let from = at + 1 - SEQUENCE;
    // Before `done` only as far as it takes to know that this is a part.
    while ((from > done || to - from < PART) && from > 0 && text[from - 1] === codes[from - 1 + shift]) from -= 1;
    const isSecret = to - from >= PART || codes[from - 1 + shift] === END || codes[to + shift] === END;
    return isSecret ? { from: Math.max(from, done), to } : undefined;
  }

  /** The first place of a sequence counts: beginnings before others, and those of the API key before those of tokens. */
  #index(spellings: readonly string[]): void {
    for (const isRest of [false, true]) {
      let start = 1;
      for (const { length } of spellings) {
        const every = Math.ceil(length / MOST_SEQUENCES);
        const most = isRest ? length : SEQUENCE;
        for (let at = start, hash = 0; at < start + most; at += 1) {
          hash = hashWith(hash, this.#codes[at] ?? END);
          const before = at - start - (SEQUENCE - 1);
          if (before < 0 || before % every !== 0) continue;
          const slot = this.#slotOf(this.#codes, at, hash);
          if (this.#table[slot] === 0) this.#table[slot] = at;
        }
        start += length + 1;
      }
    }
  }

  /** The slot of the sequence that ends here, or else an empty one, or -1 if there is neither. */
  #slotOf(codes: Int32Array, at: number, hash: number): number {
    const first = Math.imul(hash, 0x9e3779b1) >>> this.#shift;
    for (let probe = 0; probe < MOST_PROBES; probe += 1) {
      const slot = (first + probe) & (this.#table.length - 1);
      const end = this.#table[slot] ?? 0;
      if (end === 0 || this.#isSame(codes, at, end)) return slot;
    }
    return -1;
  }

  #isSame(codes: Int32Array, at: number, end: number): boolean {
    let back = 0;
    while (back < SEQUENCE && codes[at - back] === this.#codes[end - back]) back += 1;
    return back === SEQUENCE;
  }
}

/** A hash of the last six characters: what an earlier one adds is shifted out of the 30 bits. */
function hashWith(hash: number, code: number): number {
  // Scrambled, because letters that differ in the same few bits would share few hashes.
  return ((hash << 5) ^ (Math.imul(code, 0x9e3779b1) >>> 2)) & 0x3fffffff;
}

/** A character of a text. Base64 is the same in both of its alphabets. */
function codeAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code === MINUS ? PLUS : code === UNDERSCORE ? SLASH : code;
}

const PLUS = 0x2b;
const MINUS = 0x2d;
const SLASH = 0x2f;
const UNDERSCORE = 0x5f;

function codesOf(spellings: readonly string[]): Int32Array {
  const codes = new Int32Array(spellings.reduce((sum, { length }) => sum + length + 1, 1)).fill(END);
  let to = 1;
  for (const spelling of spellings) {
    for (let at = 0; at < spelling.length; at += 1, to += 1) codes[to] = codeAt(spelling, at);
    to += 1;
  }
  return codes;
}

/** A secret as it is, and what any base64 text that contains it has in common, for each place of its first byte. */
function spellingsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const first = Math.ceil((before * 8) / 6);
    return bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
  });
  return [secret, ...base64];
}
