import type { CallKind } from '../model/index.ts';
import type { RequestRecord } from './types.ts';

type Stage = 'arrived' | 'committed' | 'ended';

/** Lets tests wait for an exact stage of a request, so that they need not sleep. */
export class Moments {
  readonly #past = new Map<string, RequestRecord>();
  readonly #waiting = new Map<string, ((record: RequestRecord) => void)[]>();

  report(stage: Stage, record: RequestRecord): void {
    const name = nameOf(stage, record.kind, record.nth);
    this.#past.set(name, record);
    for (const resolve of this.#waiting.get(name) ?? []) resolve(record);
    this.#waiting.delete(name);
  }

  /** Resolves when the request reaches the stage, or at once if it already has. */
  when(stage: Stage, kind: CallKind, nth: number): Promise<RequestRecord> {
    const name = nameOf(stage, kind, nth);
    const past = this.#past.get(name);
    if (past !== undefined) return Promise.resolve(past);
    return new Promise((resolve) => {
      this.#waiting.set(name, [...(this.#waiting.get(name) ?? []), resolve]);
    });
  }
}

function nameOf(stage: Stage, kind: CallKind, nth: number): string {
  return `${stage} ${kind} ${String(nth)}`;
}
