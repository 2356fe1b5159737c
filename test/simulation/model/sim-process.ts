import type { Clock } from '../../../src/base/clock.ts';
import { type Hook, Hooks, hasEarly, runEarly, runLate } from './hooks.ts';
import type { Loop } from './loop.ts';
import { simClock } from './sim-clock.ts';
import { SimHost } from './sim-host.ts';
import type { ClockSpec, ProcessName } from './spec.ts';
import type { Trace } from './trace.ts';

const WORKER_PID = 3_900;
const INIT_PID = 1;

/** How a process ended. */
export type End =
  | { readonly how: 'exited'; readonly code: number }
  | { readonly how: 'killed' }
  /** Exited with what had been said before, since nothing was left to do and nobody listened. */
  | { readonly how: 'drained'; readonly code: number };

/**
 * A process of a scenario: its clock, its end, and the door through which all of its effects go. Once it is killed
 * nothing goes through any more, however much of its code still runs.
 */
export class SimProcess {
  readonly name: ProcessName;
  /** As the log names it: the processes of the first execution by their names alone. */
  readonly label: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly clock: Clock;
  readonly host: SimHost;
  /** Its first statement has run. */
  begun = false;
  /** Does nothing any more, and does not end by itself. */
  frozen = false;
  end: (End & { readonly atMs: number; readonly step: number }) | undefined;
  /** How many effects there were. */
  effects = 0;
  /** The process that started it; its runner's worker, as long as that is alive. */
  ppid = WORKER_PID;
  /** Open connections and timers that are set: what keeps a process alive. */
  holds = 0;
  #listeners: (() => void)[] = [];
  readonly #signals = new Map<string, () => void>();
  readonly #hooks = new Hooks();
  readonly #loop: Loop;
  readonly #trace: Trace;

  constructor(parts: {
    readonly name: ProcessName;
    readonly label: string;
    readonly pid: number;
    readonly startedAt: string;
    readonly loop: Loop;
    readonly trace: Trace;
    readonly clock: ClockSpec;
    readonly flushMs: number;
    readonly lostTimer: number | null;
  }) {
    this.name = parts.name;
    this.label = parts.label;
    this.pid = parts.pid;
    this.startedAt = parts.startedAt;
    this.#loop = parts.loop;
    this.#trace = parts.trace;
    this.clock = simClock(this, parts.loop, parts.clock, parts.lostTimer);
    this.host = new SimHost(this, parts.loop, parts.trace, parts.flushMs);
  }

  get alive(): boolean {
    return this.end === undefined;
  }

  /** Has something crash at an effect of this number. */
  hookAt(effect: number, hook: Hook): void {
    this.#hooks.add(effect, hook);
  }

  /**
   * Does something that can be seen from outside, in the middle of whatever the process is doing. A dead process
   * gets `dead` back and has done nothing; a torn effect is done in part, which `act` is told.
   */
  perform<T>(kind: string, subject: string, act: (torn: boolean) => T, dead: T): T {
    if (!this.alive) return dead;
    const hooks = this.#count();
    runEarly(hooks);
    if (!this.alive) return dead;
    const torn = hooks.some(({ when, isDue }) => when === 'torn' && isDue());
    this.#trace.note(this.label, this.effects, torn ? `${kind} torn` : kind, subject);
    try {
      return act(torn);
    } finally {
      runLate(hooks);
    }
  }

  /** Something from outside reaches the process: an event of its loop. */
  deliver(kind: string, subject: string, task: () => void): void {
    if (!this.alive || this.frozen) return;
    const hooks = this.#count();
    const number = this.effects;
    const act = (): void => {
      if (!this.alive || this.frozen) return;
      this.#trace.note(this.label, number, kind, subject);
      this.host.guarded(task);
      runLate(hooks);
    };
    if (!hasEarly(hooks)) {
      act();
      return;
    }
    // Whatever crashed comes first, as an event of its own; until then this is something to wait for.
    this.holds += 1;
    runEarly(hooks);
    this.#loop.soonest(() => {
      this.holds -= 1;
      act();
    });
  }

  /** A signal, from whoever: observed now, unless it is the one that cannot be observed. */
  signal(name: string): void {
    if (!this.alive) return;
    if (name === 'SIGKILL') {
      this.#trace.note(this.label, 0, 'killed', '');
      this.finish({ how: 'killed' });
      return;
    }
    this.#loop.soonest(() => {
      const listener = this.#signals.get(name);
      if (!this.alive || this.frozen) return;
      this.#trace.note(this.label, 0, 'signal', name);
      if (listener === undefined) this.finish({ how: 'killed' });
      else this.host.guarded(listener);
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
    this.#trace.note(this.label, 0, end.how, end.how === 'killed' ? '' : String(end.code));
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }

  /** The process that started it is gone: another one takes its place. */
  parentDied(): void {
    this.ppid = INIT_PID;
  }

  #count(): readonly Hook[] {
    this.effects += 1;
    return this.#hooks.at(this.effects);
  }
}
