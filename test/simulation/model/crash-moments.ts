import type { CrashFact } from './facts.ts';
import type { Hook } from './hooks.ts';
import type { Loop } from './loop.ts';
import type { SimProcess } from './sim-process.ts';
import type { Crash, CrashKind, Moment, ProcessName } from './spec.ts';

const ENDS_AT_ONCE: ReadonlySet<string> = new Set(['kill', 'out_of_memory', 'kill_lost', 'power']);

/** A request that is about to be sent, or whose response is about to reach its process. */
export interface RequestPoint {
  readonly at: 'request' | 'response';
  readonly process: SimProcess;
  /** The how-manieth request of its process it is, from 1. */
  readonly number: number;
  /** The place in the spec of the fault that hits it; -1 for none. */
  readonly fault: number;
}

/** Has the crashes of a scenario come at their moments: at an effect, an instant, a request or a response. */
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
      if ('ms' in at) this.#loop.firstAt(this.#loop.nowMs + at.ms, crash);
    });
  }

  /** A request is about to be sent, or answered, as the next effect of its process: what is anchored to it comes. */
  requestComesTo(point: RequestPoint): void {
    const { process } = point;
    this.#crashes.forEach(({ on, at, kind }, index) => {
      if (on !== process.name || this.crashed.some((one) => one.index === index)) return;
      if (isAnchoredTo(point, at)) process.hookAt(process.effects + 1, this.#hook(index, 'before'));
      if (point.at !== 'request' || !('fault' in at) || at.fault !== point.fault) return;
      if ('plusMs' in at) this.#loop.firstAt(this.#loop.nowMs + at.plusMs, () => this.#crash(index));
      if ('plus' in at) {
        process.hookAt(process.effects + 1 + at.plus, this.#hook(index, whenOf(at.when, kind)));
      }
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
    return { when, crash: () => this.#crash(index), isDue: () => !this.crashed.some((one) => one.on === on) };
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

/** Whether a crash comes just before this request is sent, or just before its response arrives. */
function isAnchoredTo(point: RequestPoint, at: Moment): boolean {
  if ('before' in at) return at.before === point.at && at.fault === point.fault;
  if ('request' in at) return point.at === 'request' && at.request === point.number;
  return 'response' in at && point.at === 'response' && at.response === point.number;
}

/** Only what ends at once leaves half a write behind. */
function whenOf(when: Hook['when'], kind: string): Hook['when'] {
  return when === 'torn' && !ENDS_AT_ONCE.has(kind) ? 'after' : when;
}
