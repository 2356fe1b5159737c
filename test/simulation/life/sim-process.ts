import type { Clock } from '../../../src/base/clock.ts';
import { type Blow, Blows, hasEarly, strikeEarly, strikeLate } from './blows.ts';
import type { Chronicle } from './chronicle.ts';
import type { Loop } from './loop.ts';
import { simClock } from './sim-clock.ts';
import { SimHost } from './sim-host.ts';
import type { ClockSpec, ProcessName } from './spec.ts';

/** How a process ended. */
export type End =
  | { readonly how: 'exited'; readonly code: number }
  | { readonly how: 'killed' }
  /** Exited with what had been said before, since nothing was left to do and nobody listened. */
  | { readonly how: 'drained'; readonly code: number };

/**
 * A process of a life: its clock, its end, and the door through which all of its effects go. Once it is killed
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
  /** Open connections and timers that are set: what keeps a process alive. */
  holds = 0;
  #listeners: (() => void)[] = [];
  readonly #signals = new Map<string, () => void>();
  readonly #blows = new Blows();
  readonly #loop: Loop;
  readonly #chronicle: Chronicle;

  constructor(parts: {
    readonly name: ProcessName;
    readonly label: string;
    readonly pid: number;
    readonly startedAt: string;
    readonly loop: Loop;
    readonly chronicle: Chronicle;
    readonly clock: ClockSpec;
    readonly flushMs: number;
    readonly lostTimer: number | null;
  }) {
    this.name = parts.name;
    this.label = parts.label;
    this.pid = parts.pid;
    this.startedAt = parts.startedAt;
    this.#loop = parts.loop;
    this.#chronicle = parts.chronicle;
    this.clock = simClock(this, parts.loop, parts.clock, parts.lostTimer);
    this.host = new SimHost(this, parts.loop, parts.chronicle, parts.flushMs);
  }

  get alive(): boolean {
    return this.end === undefined;
  }

  /** Has something strike at an effect of this number. */
  blowAt(effect: number, blow: Blow): void {
    this.#blows.add(effect, blow);
  }

  /**
   * Does something that can be seen from outside, in the middle of whatever the process is doing. A dead process
   * gets `dead` back and has done nothing; a torn effect is done in part, which `act` is told.
   */
  perform<T>(kind: string, subject: string, act: (torn: boolean) => T, dead: T): T {
    if (!this.alive) return dead;
    const blows = this.#count();
    strikeEarly(blows);
    if (!this.alive) return dead;
    const torn = blows.some(({ when, isDue }) => when === 'torn' && isDue());
    this.#chronicle.note(this.label, this.effects, torn ? `${kind} torn` : kind, subject);
    try {
      return act(torn);
    } finally {
      strikeLate(blows);
    }
  }

  /** Something from outside reaches the process: an event of its loop. */
  deliver(kind: string, subject: string, task: () => void): void {
    if (!this.alive || this.frozen) return;
    const blows = this.#count();
    const number = this.effects;
    const act = (): void => {
      if (!this.alive || this.frozen) return;
      this.#chronicle.note(this.label, number, kind, subject);
      this.host.guarded(task);
      strikeLate(blows);
    };
    if (!hasEarly(blows)) {
      act();
      return;
    }
    // Whatever struck comes first, as an event of its own; until then this is something to wait for.
    this.holds += 1;
    strikeEarly(blows);
    this.#loop.soonest(() => {
      this.holds -= 1;
      act();
    });
  }

  /** A signal, from whoever: heard now, unless it is the one that cannot be heard. */
  signal(name: string): void {
    if (!this.alive) return;
    if (name === 'SIGKILL') {
      this.#chronicle.note(this.label, 0, 'killed', '');
      this.finish({ how: 'killed' });
      return;
    }
    this.#loop.soonest(() => {
      const listener = this.#signals.get(name);
      if (!this.alive || this.frozen) return;
      this.#chronicle.note(this.label, 0, 'signal', name);
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
    this.#chronicle.note(this.label, 0, end.how, end.how === 'killed' ? '' : String(end.code));
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }

  #count(): readonly Blow[] {
    this.effects += 1;
    return this.#blows.at(this.effects);
  }
}
