/** What came of a body so far, up to a number of bytes. */
export class Body {
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  /** Returns whether the chunk still fitted; what did not fit is dropped. */
  add(bytes: Uint8Array): boolean {
    const kept = bytes.subarray(0, this.#maxBytes - this.#length);
    this.#chunks.push(kept);
    this.#length += kept.length;
    return kept.length === bytes.length;
  }

  /** As UTF-8; bytes that are none become U+FFFD, a byte order mark is dropped. */
  text(): string {
    const whole = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return new TextDecoder().decode(whole);
  }
}
