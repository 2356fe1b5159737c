import type { Blow } from './blows.ts';
import type { StruckFact } from './facts.ts';
import type { Loop } from './loop.ts';
import type { SimProcess } from './sim-process.ts';
import type { ProcessName, Strike, StrikeKind } from './spec.ts';

const ENDS_AT_ONCE: ReadonlySet<string> = new Set(['kill', 'out_of_memory', 'kill_lost', 'power']);

/** Has the strikes of a life come at their moments: at an effect, at an instant, or by a fault. */
export class StrikeMoments {
  readonly struck: StruckFact[] = [];
  readonly #strikes: readonly Strike[];
  readonly #loop: Loop;
  readonly #processes: Partial<Record<ProcessName, SimProcess>> = {};
  readonly #onStrike: (strike: Pick<Strike, 'on' | 'kind'>) => void;

  /** @param onStrike called when a strike comes to a process that is alive */
  constructor(
    strikes: readonly Strike[],
    loop: Loop,
    onStrike: (strike: Pick<Strike, 'on' | 'kind'>) => void,
  ) {
    this.#strikes = strikes;
    this.#loop = loop;
    this.#onStrike = onStrike;
  }

  /** A process begins: from now on it can be struck. */
  arm(process: SimProcess): void {
    this.#processes[process.name] = process;
    this.#strikes.forEach(({ on, at, kind }, index) => {
      if (on !== process.name) return;
      const strike = (): void => this.#strike(index);
      if ('effect' in at) process.blowAt(at.effect, this.#blow(index, whenOf(at.when, kind)));
      if ('ms' in at) this.#loop.at(this.#loop.nowMs + at.ms, strike);
    });
  }

  /** A fault has hit a request of this process: what was to come with it comes. */
  faultHits(fault: number, process: SimProcess): void {
    this.#strikes.forEach(({ on, at, kind }, index) => {
      if (!('fault' in at) || at.fault !== fault || on !== process.name) return;
      if (this.struck.some((one) => one.index === index)) return;
      const strike = (): void => this.#strike(index);
      if ('plusMs' in at) this.#loop.at(this.#loop.nowMs + at.plusMs, strike);
      else process.blowAt(process.effects + 1 + at.plus, this.#blow(index, whenOf(at.when, kind)));
    });
  }

  /** The whole job is struck, this step with it. */
  strikeWithJob(kind: StrikeKind): void {
    const main = this.#processes.main;
    if (main?.alive !== true || this.struck.some(({ on }) => on === 'main')) return;
    this.#push({ on: 'main', kind }, main, -1);
  }

  #blow(index: number, when: Blow['when']): Blow {
    const on = this.#strikes[index]?.on;
    return {
      when,
      strike: () => this.#strike(index),
      isDue: () => !this.struck.some((one) => one.on === on),
    };
  }

  #strike(index: number): void {
    const strike = this.#strikes[index];
    const target = strike && this.#processes[strike.on];
    if (strike === undefined || target === undefined || !target.alive) return;
    // What has been struck once is on its way out already.
    if (this.struck.some((one) => one.on === strike.on)) return;
    this.#push(strike, target, index);
  }

  #push(strike: Pick<Strike, 'on' | 'kind'>, target: SimProcess, index: number): void {
    const { on, kind } = strike;
    const { nowMs: atMs, step } = this.#loop;
    this.struck.push({ on, kind, atMs, step, effect: target.effects, index });
    this.#onStrike(strike);
  }
}

/** Only what ends at once leaves half a write behind. */
function whenOf(when: Blow['when'], kind: string): Blow['when'] {
  return when === 'torn' && !ENDS_AT_ONCE.has(kind) ? 'after' : when;
}
