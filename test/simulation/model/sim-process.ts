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
  isStdoutOpen = true;
  #looksLeft = 6;
  #idle: { readonly dueMs: number; readonly task: () => void } | undefined;
  /** Open connections and timers that are set: what keeps a process alive. */
  holds = 0;
  #listeners: (() => void)[] = [];
  /** The process is blocked until then; in the past if it is not. */
  #busyUntilMs = -Infinity;
  /** Effects of the code that has run ahead. */
  #effectsToCome = 0;
  /** When each thread of the pool that may look names up is free. libuv lets half of its four threads do that. */
  readonly #threadsFreeAtMs = [0, 0];
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

  /** The time at which the process is: ahead of the loop's while it is blocked in a call that has not returned. */
  get nowMs(): number {
    return Math.max(this.#loop.nowMs, this.#busyUntilMs);
  }

  /** Blocked: the process does and hears nothing until the loop has reached its own time. */
  get isBusy(): boolean {
    return this.#busyUntilMs > this.#loop.nowMs || this.#effectsToCome > 0;
  }

  /** Does something when the loop has reached the time of this process, which is at once unless it is blocked. */
  whenReached(task: () => void): void {
    if (!this.isBusy) {
      task();
      return;
    }
    this.holds += 1;
    this.#loop.at(this.#busyUntilMs, () => {
      this.holds -= 1;
      task();
    });
  }

  /** Gives a lookup to the thread pool. Returns how long it takes, with the wait for a thread, in milliseconds. */
  lookUp(ms: number): number {
    if (ms === 0) return 0;
    const { nowMs } = this;
    const first = this.#threadsFreeAtMs.indexOf(Math.min(...this.#threadsFreeAtMs));
    const endsAtMs = Math.max(nowMs, this.#threadsFreeAtMs[first] ?? 0) + ms;
    this.#threadsFreeAtMs[first] = endsAtMs;
    return endsAtMs - nowMs;
  }

  /** How long lookups are still under way, with those whose client is gone, in milliseconds. */
  get lookupsEndInMs(): number {
    return Math.max(0, ...this.#threadsFreeAtMs.map((atMs) => atMs - this.#loop.nowMs));
  }

  /**
   * Does something that can be seen from outside, in the middle of whatever the process is doing; a dead process does
   * nothing. A torn effect is done in part, which `act` is told, with the number of the effect. While the process is
   * blocked, its code goes on in an instant, but its effects come when the loop has reached the time of each.
   * @param blocksMs how long the call takes to return: the effect comes at the end
   */
  perform(kind: string, subject: string, act: (torn: boolean, effect: number) => void, blocksMs = 0): void {
    if (!this.alive) return;
    const hooks = this.#count();
    const effect = this.effects;
    const finish = (): void => {
      if (!this.alive) return;
      const torn = hooks.some(({ when, isDue }) => when === 'torn' && isDue());
      this.#trace.note(this.label, effect, torn ? `${kind} torn` : kind, subject);
      act(torn, effect);
      runLate(hooks);
    };
    if (hasEarly(hooks)) this.#inTurn(() => runEarly(hooks));
    if (blocksMs > 0) this.#block(blocksMs);
    this.#inTurn(finish);
  }

  /** Does a part of an effect when its time has come, and nothing else of this process before it. */
  #inTurn(part: () => void): void {
    const isLater = this.isBusy;
    if (isLater) this.#effectsToCome += 1;
    this.whenReached(() => {
      if (isLater) this.#effectsToCome -= 1;
      part();
    });
  }

  #block(ms: number): void {
    if (!this.alive) return;
    this.#trace.note(this.label, 0, 'blocked', `for ${ms} ms`);
    this.#busyUntilMs = this.nowMs + ms;
  }

  /** Something from outside reaches the process: an event of its loop. */
  deliver(kind: string, subject: string, task: () => void): void {
    if (!this.alive || this.frozen) return;
    if (this.isBusy) {
      this.whenReached(() => this.deliver(kind, subject, task));
      return;
    }
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
    this.#loop.soonest(() => this.whenReached(() => this.#hear(name)));
  }

  #hear(name: string): void {
    const listener = this.#signals.get(name);
    if (!this.alive || this.frozen) return;
    this.#trace.note(this.label, 0, 'signal', name);
    if (listener === undefined) this.finish({ how: 'killed' });
    else this.host.guarded(listener);
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
    if (end.how !== 'killed' && this.isBusy) {
      this.whenReached(() => this.finish(end));
      return;
    }
    this.end = { ...end, atMs: this.#loop.nowMs, step: this.#loop.step };
    this.#trace.note(this.label, 0, end.how, end.how === 'killed' ? '' : String(end.code));
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }

  /**
   * Sets a timer that does not keep the process alive. All that such timers do is look for a change of the parent, so
   * they run only around that: once before it, and then a few times as they are due.
   */
  later(ms: number, task: () => void): void {
    if (this.ppid !== INIT_PID) this.#idle = { dueMs: this.#loop.nowMs + ms, task };
    else if (this.#looksLeft > 0) {
      this.#loop.at(this.#loop.nowMs + ms, () => this.whenReached(() => this.alive && task()));
    }
    if (this.ppid === INIT_PID) this.#looksLeft -= 1;
  }

  /** The process that started it is gone: another one takes its place. */
  parentDied(): void {
    const idle = this.#idle;
    const isDue = idle !== undefined && idle.dueMs <= this.#loop.nowMs;
    if (isDue) idle.task();
    this.ppid = INIT_PID;
    const next = this.#idle;
    if (next !== undefined) this.later(next.dueMs - this.#loop.nowMs, next.task);
  }

  #count(): readonly Hook[] {
    this.effects += 1;
    return this.#hooks.at(this.effects);
  }
}
