/** This many rejections over at least this time count as final. A single rejection may be a service fault. */
const FINAL_AFTER = 3;
const FINAL_AFTER_MS = 60_000;

/** Counts how often the service rejected the key while no token was valid. */
export class KeyRejections {
  #count = 0;
  #firstAt = Infinity;

  add(now: number): void {
    this.#count += 1;
    this.#firstAt = Math.min(this.#firstAt, now);
  }

  /** Returns whether the rejections count as final. */
  areFinal(now: number): boolean {
    return this.#count >= FINAL_AFTER && now - this.#firstAt >= FINAL_AFTER_MS;
  }
}
