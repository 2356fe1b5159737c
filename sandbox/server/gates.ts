import type { CallKind } from '../model/index.ts';

interface Held {
  readonly kind: CallKind;
  readonly nth: number;
  readonly open: () => void;
}

/** The gates at which held requests wait. */
export class Gates {
  #held: readonly Held[] = [];
  readonly #released = new Set<string>();

  hold(kind: CallKind, nth: number): Promise<void> {
    if (this.#released.has(nameOf(kind, nth))) return Promise.resolve();
    return new Promise((open) => {
      this.#held = [...this.#held, { kind, nth, open }];
    });
  }

  /** Releases held requests. With a number, this also applies to a request that has not arrived yet. */
  release(kind: CallKind, nth?: number): void {
    if (nth !== undefined) this.#released.add(nameOf(kind, nth));
    const goes = (one: Held) => one.kind === kind && (nth === undefined || one.nth === nth);
    const going = this.#held.filter(goes);
    this.#held = this.#held.filter((one) => !goes(one));
    for (const one of going) one.open();
  }
}

function nameOf(kind: CallKind, nth: number): string {
  return `${kind} ${String(nth)}`;
}
