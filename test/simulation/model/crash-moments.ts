import type { CrashFact } from './facts.ts';
import type { Hook } from './hooks.ts';
import type { Loop } from './loop.ts';
import type { SimProcess } from './sim-process.ts';
import type { Crash, CrashKind, ProcessName } from './spec.ts';

const ENDS_AT_ONCE: ReadonlySet<string> = new Set(['kill', 'out_of_memory', 'kill_lost', 'power']);

/** Has the crashes of a scenario come at their moments: at an effect, at an instant, or by a fault. */
export class CrashMoments {
  readonly crashed: CrashFact[] = [];
  readonly #crashes: readonly Crash[];
  readonly #loop: Loop;
  readonly #processes: Partial<Record<ProcessName, SimProcess>> = {};
  readonly #onCrash: (crash: Pick<Crash, 'on' | 'kind'>) => void;

  /** @param onCrash called when a crash comes to a process that is alive */
  constructor(crashes: readonly Crash[], loop: Loop, onCrash: (crash: Pick<Crash, 'on' | 'kind'>) => void) {
    this.#crashes = crashes;
    this.#loop = loop;
    this.#onCrash = onCrash;
  }

  /** A process begins: from now on it can be crashed. */
  arm(process: SimProcess): void {
    this.#processes[process.name] = process;
    this.#crashes.forEach(({ on, at, kind }, index) => {
      if (on !== process.name) return;
      const crash = (): void => this.#crash(index);
      if ('effect' in at) process.hookAt(at.effect, this.#hook(index, whenOf(at.when, kind)));
      if ('ms' in at) this.#loop.at(this.#loop.nowMs + at.ms, crash);
    });
  }

  /** A fault has hit a request of this process: what was to come with it comes. */
  faultHits(fault: number, process: SimProcess): void {
    this.#crashes.forEach(({ on, at, kind }, index) => {
      if (!('fault' in at) || at.fault !== fault || on !== process.name) return;
      if (this.crashed.some((one) => one.index === index)) return;
      const crash = (): void => this.#crash(index);
      if ('plusMs' in at) this.#loop.at(this.#loop.nowMs + at.plusMs, crash);
      else process.hookAt(process.effects + 1 + at.plus, this.#hook(index, whenOf(at.when, kind)));
    });
  }

  /** The whole job is crashed, this step with it. */
  crashWithJob(kind: CrashKind): void {
    const main = this.#processes.main;
    if (main?.alive !== true || this.crashed.some(({ on }) => on === 'main')) return;
    this.#push({ on: 'main', kind }, main, -1);
  }

  #hook(index: number, when: Hook['when']): Hook {
    const on = this.#crashes[index]?.on;
    return {
      when,
      crash: () => this.#crash(index),
      isDue: () => !this.crashed.some((one) => one.on === on),
    };
  }

  #crash(index: number): void {
    const crash = this.#crashes[index];
    const target = crash && this.#processes[crash.on];
    if (crash === undefined || target === undefined || !target.alive) return;
    // What has been crashed once is on its way out already.
    if (this.crashed.some((one) => one.on === crash.on)) return;
    this.#push(crash, target, index);
  }

  #push(crash: Pick<Crash, 'on' | 'kind'>, target: SimProcess, index: number): void {
    const { on, kind } = crash;
    const { nowMs: atMs, step } = this.#loop;
    this.crashed.push({ on, kind, atMs, step, effect: target.effects, index });
    this.#onCrash(crash);
  }
}

/** Only what ends at once leaves half a write behind. */
function whenOf(when: Hook['when'], kind: string): Hook['when'] {
  return when === 'torn' && !ENDS_AT_ONCE.has(kind) ? 'after' : when;
}
