/** What came of a body so far, up to a number of bytes. */
export class Body {
  readonly #maxBytes: number;
  #bytes = new Uint8Array(1_024);
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
    const room = this.#maxBytes - this.#length;
    const kept = bytes.length <= room ? bytes : bytes.subarray(0, room);
    const length = this.#length + kept.length;
    if (length > this.#bytes.length) {
      // Twice as much each time, so that many small chunks are not copied again with every chunk.
      const larger = new Uint8Array(Math.min(this.#maxBytes, Math.max(length, 2 * this.#bytes.length)));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(kept, this.#length);
    this.#length = length;
    return kept.length === bytes.length;
  }

  /** As UTF-8; bytes that are none become U+FFFD, a byte order mark is dropped. */
  text(): string {
    return new TextDecoder().decode(this.#bytes.subarray(0, this.#length));
  }
}
