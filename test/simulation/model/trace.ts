import type { Loop } from './loop.ts';

/** Everything that happened in a scenario, in order, one line each: two scenarios are the same if these are. */
export class Trace {
  readonly lines: string[] = [];
  readonly #loop: Loop;

  constructor(loop: Loop) {
    this.#loop = loop;
  }

  /** @param effect the effect's number in its process; 0 for what is done to the process */
  note(who: string, effect: number, kind: string, what: string): void {
    const number = effect === 0 ? '' : ` #${effect}`;
    this.lines.push(`${this.#loop.nowMs.toFixed(0).padStart(9)} ${who}${number} ${kind} ${what}`);
  }

  /** A number for all of it (FNV-1a, 32 bits). */
  digest(): number {
    let hash = 0x811c9dc5;
    for (const line of this.lines) {
      for (let at = 0; at < line.length; at += 1) {
        hash = Math.imul(hash ^ line.charCodeAt(at), 0x01000193);
      }
    }
    return hash >>> 0;
  }
}
