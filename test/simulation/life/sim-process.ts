import type { Host } from '../../../src/action/process.ts';
import type { Clock } from '../../../src/base/clock.ts';
import type { Chronicle } from './chronicle.ts';
import type { Loop } from './loop.ts';
import type { ClockSpec, ProcessName } from './spec.ts';

/** Wall-clock time at which every life begins: 2026-01-05T12:00:00Z. */
const EPOCH_MS = 1_767_614_400_000;

export type End =
  | { readonly how: 'exited'; readonly code: number }
  | { readonly how: 'killed' }
  /** Exited with what had been said before, since nothing was left to do and nobody listened. */
  | { readonly how: 'drained'; readonly code: number };

/** Something that strikes at a numbered effect. */
interface Blow {
  readonly when: 'before' | 'after' | 'torn';
  readonly strike: () => void;
}

/**
 * A process of a life: its clock, its end, and the door through which all of its effects go. Once it is killed
 * nothing goes through any more, however much of its code still runs.
 */
export class SimProcess {
  readonly name: ProcessName;
  readonly pid: number;
  readonly startedAt: string;
  readonly clock: Clock;
  readonly host: Host;
  /** Its first statement has run. */
  begun = false;
  /** Does nothing any more, and does not end by itself. */
  frozen = false;
  drained = false;
  end: (End & { readonly atMs: number; readonly step: number }) | undefined;
  /** How many effects there were. */
  effects = 0;
  /** Open connections and timers that are set: what keeps a process alive. */
  holds = 0;
  #timers = 0;
  #exiting = false;
  #exitCode = 0;
  #listeners: (() => void)[] = [];
  readonly #onError: ((error: unknown) => void)[] = [];
  readonly #onDrained: (() => void)[] = [];
  readonly #signals = new Map<string, () => void>();
  readonly #blows = new Map<number, Blow[]>();
  readonly #loop: Loop;
  readonly #chronicle: Chronicle;
  readonly #flushMs: number;

  constructor(parts: {
    readonly name: ProcessName;
    readonly pid: number;
    readonly loop: Loop;
    readonly chronicle: Chronicle;
    readonly clock: ClockSpec;
    readonly flushMs: number;
    readonly lostTimer: number | null;
  }) {
    this.name = parts.name;
    this.pid = parts.pid;
    this.startedAt = `ticks:${parts.pid * 7}`;
    this.#loop = parts.loop;
    this.#chronicle = parts.chronicle;
    this.#flushMs = parts.flushMs;
    this.clock = this.#makeClock(parts.clock, parts.lostTimer);
    this.host = this.#makeHost();
  }

  get alive(): boolean {
    return this.end === undefined;
  }

  /** Has something strike at an effect of this number. */
  blowAt(effect: number, when: Blow['when'], strike: () => void): void {
    const blows = this.#blows.get(effect) ?? [];
    blows.push({ when, strike });
    this.#blows.set(effect, blows);
  }

  /**
   * Does something that can be seen from outside, in the middle of whatever the process is doing. A dead process
   * gets `dead` back and has done nothing; a torn effect is done in part, which `act` is told.
   */
  perform<T>(kind: string, subject: string, act: (torn: boolean) => T, dead: T): T {
    if (!this.alive) return dead;
    const blows = this.#count();
    for (const { when, strike } of blows) if (when === 'before') strike();
    if (!this.alive) return dead;
    const torn = blows.some(({ when }) => when === 'torn');
    this.#chronicle.note(this.name, this.effects, torn ? `${kind} torn` : kind, subject);
    try {
      return act(torn);
    } finally {
      for (const { when, strike } of blows) if (when !== 'before') strike();
    }
  }

  /** Something from outside reaches the process: an event of its loop. */
  deliver(kind: string, subject: string, task: () => void): void {
    if (!this.alive || this.frozen) return;
    const blows = this.#count();
    const number = this.effects;
    const early = blows.filter(({ when }) => when === 'before');
    const act = (): void => {
      if (!this.alive || this.frozen) return;
      this.#chronicle.note(this.name, number, kind, subject);
      this.#guarded(task);
      for (const { when, strike } of blows) if (when !== 'before') strike();
    };
    if (early.length === 0) {
      act();
      return;
    }
    // Whatever struck comes first, as an event of its own; until then this is something to wait for.
    this.holds += 1;
    for (const { strike } of early) strike();
    this.#loop.soonest(() => {
      this.holds -= 1;
      act();
    });
  }

  /** A signal, from whoever: heard now, unless it is the one that cannot be heard. */
  signal(name: string): void {
    if (!this.alive) return;
    if (name === 'SIGKILL') {
      this.#chronicle.note(this.name, 0, 'killed', '');
      this.finish({ how: 'killed' });
      return;
    }
    this.#loop.soonest(() => {
      const listener = this.#signals.get(name);
      if (!this.alive || this.frozen) return;
      this.#chronicle.note(this.name, 0, 'signal', name);
      if (listener === undefined) this.finish({ how: 'killed' });
      else this.#guarded(listener);
    });
  }

  onSignal(name: string, listener: () => void): void {
    this.#signals.set(name, listener);
  }

  /** Called once, when the process is gone. */
  onEnd(listener: () => void): void {
    this.#listeners.push(listener);
  }

  finish(end: End): void {
    if (!this.alive) return;
    this.end = { ...end, atMs: this.#loop.nowMs, step: this.#loop.step };
    this.#chronicle.note(this.name, 0, end.how, end.how === 'killed' ? '' : String(end.code));
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }

  /** To be asked when everything that an event led to is done: a loop with nothing to wait for ends. */
  noticeDrained(): void {
    if (!this.begun || !this.alive || this.frozen || this.#exiting) return;
    if (this.holds > 0 || this.#timers > 0) return;
    if (!this.drained) {
      this.drained = true;
      this.#chronicle.note(this.name, 0, 'drained', '');
      for (const listener of this.#onDrained) this.#guarded(listener);
      if (this.#exiting) return;
    }
    this.finish({ how: 'drained', code: this.#exitCode });
  }

  /** An exception that nobody caught, or a rejection that nobody handled. */
  fail(error: unknown): void {
    this.#chronicle.note(this.name, 0, 'uncaught', String(error));
    if (this.#onError.length === 0) this.finish({ how: 'exited', code: 1 });
    for (const listener of this.#onError) listener(error);
  }

  #count(): Blow[] {
    this.effects += 1;
    return this.#blows.get(this.effects) ?? [];
  }

  #guarded(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.fail(error);
    }
  }

  #makeClock(spec: ClockSpec, lostTimer: number | null): Clock {
    const loop = this.#loop;
    let set = 0;
    return {
      now: () => loop.nowMs + spec.zeroMs,
      wall: () =>
        EPOCH_MS +
        loop.nowMs +
        spec.wallOffMs +
        spec.jumps.reduce((sum, [atMs, byMs]) => (atMs <= loop.nowMs ? sum + byMs : sum), 0),
      after: (ms, task) => {
        set += 1;
        if (set === lostTimer || !this.alive) return () => undefined;
        this.#timers += 1;
        const grain = ms >= 2 ? spec.timerLateMs : Math.max(0, spec.timerLateMs);
        const timer = loop.at(loop.nowMs + Math.max(0, ms) + grain, () => {
          this.#timers -= 1;
          timer.task = undefined;
          this.deliver('timer', '', task);
        });
        return () => {
          if (timer.task !== undefined) this.#timers -= 1;
          timer.task = undefined;
        };
      },
    };
  }

  #makeHost(): Host {
    return {
      exitCode: (code) => {
        this.#exitCode = code;
      },
      onError: (listener) => {
        this.#onError.push(listener);
      },
      onDrained: (listener) => {
        this.#onDrained.push(listener);
      },
      exit: (code) => {
        if (this.#exiting || !this.alive) return;
        this.#exiting = true;
        this.#loop.at(this.#loop.nowMs + this.#flushMs, () => this.finish({ how: 'exited', code }));
      },
    };
  }
}
