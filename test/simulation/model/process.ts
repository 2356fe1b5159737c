/** A process of a scenario: its effects, signals and clock, and how it exits. */
import type { ProcessControl } from '../../../src/action/runner/process.ts';
import type { Clock } from '../../../src/base/clock.ts';
import type { Instant } from './facts.ts';
import type { Loop, Scheduled } from './loop.ts';
import type { ClockSpec, ProcessName } from './spec.ts';

const WORKER_PID = 3_900;
const INIT_PID = 1;
/** The exit code that a shell shows for a process killed by SIGKILL. */
const KILLED = 137;
/** Wall-clock time at which every scenario begins: 2026-01-05T12:00:00Z. */
const EPOCH_MS = 1_767_614_400_000;

export interface Hook {
  readonly when: 'before' | 'after' | 'torn';
  readonly crash: () => void;
  /** Whether the process has not crashed yet. After a crash, no effect is torn. */
  readonly isDue: () => boolean;
}

export interface End {
  readonly how: 'exited' | 'killed' | 'drained';
  readonly code?: number;
}

interface Parts {
  readonly name: ProcessName;
  /** The process's name in the log. Processes of the first execution have no prefix. */
  readonly label: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly loop: Loop;
  readonly clock: ClockSpec;
  readonly flushMs: number;
  readonly lostTimer: number | null;
}

/** All effects of the process pass through this class. It drops them after a kill, even if the code keeps running. */
export class SimProcess implements ProcessControl {
  readonly name: ProcessName;
  readonly label: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly clock: Clock;
  begun = false;
  /** Whether a timer was due that never fires. */
  lostTimer = false;
  /** Whether the process is frozen: it does nothing more and does not exit by itself. */
  frozen = false;
  end: (End & Instant) | undefined;
  effects = 0;
  /** The parent process: the runner's worker, as long as that is alive. */
  ppid = WORKER_PID;
  isStdoutOpen = true;
  /** The number of open connections and active timers, which keep a process alive. */
  holds = 0;
  #looksLeft = 6;
  #idle: { readonly dueMs: number; readonly task: () => void } | undefined;
  /** When the process stops being blocked; in the past if it is not blocked. */
  #busyUntilMs = -Infinity;
  /** The number of pending effects of code that has run ahead. */
  #effectsToCome = 0;
  /** When each thread for lookups is free. libuv permits lookups on half of the four threads in its pool. */
  readonly #threadsFreeAtMs = [0, 0];
  /** Whether the event loop has had nothing left to wait for at least once. */
  drained = false;
  /** Whether the process has its verdict and will exit once stdout is flushed. */
  #exiting = false;
  #exitCode = 0;
  #lookups: Scheduled | undefined;
  readonly #onError: ((error: unknown) => void)[] = [];
  readonly #onDrained: (() => void)[] = [];
  readonly #onEnd: (() => void)[] = [];
  readonly #signals = new Map<string, () => void>();
  readonly #hooks: (Hook & { readonly effect: number })[] = [];
  readonly #loop: Loop;
  readonly #flushMs: number;

  constructor(parts: Parts) {
    this.name = parts.name;
    this.label = parts.label;
    this.pid = parts.pid;
    this.startedAt = parts.startedAt;
    this.#loop = parts.loop;
    this.clock = clockOf(this, parts);
    this.#flushMs = parts.flushMs;
  }

  get alive(): boolean {
    return this.end === undefined;
  }

  hookAt(effect: number, hook: Hook): void {
    this.#hooks.push({ ...hook, effect });
  }

  /** The process's own time, which is ahead of the loop's while a call blocks the process. */
  get nowMs(): number {
    return Math.max(this.#loop.nowMs, this.#busyUntilMs);
  }

  /** Whether the process is blocked. It then handles nothing until the loop catches up with its time. */
  get isBusy(): boolean {
    return this.#busyUntilMs > this.#loop.nowMs || this.#effectsToCome > 0;
  }

  /** Runs a task when the loop reaches this process's time: immediately, unless the process is blocked. */
  whenReached(task: () => void): void {
    if (this.isBusy) this.#held((run) => this.#loop.at(this.#busyUntilMs, run), task);
    else task();
  }

  /** Queues a lookup in the thread pool. Returns its duration, including the wait for a thread, in milliseconds. */
  lookUp(ms: number): number {
    if (ms === 0) return 0;
    const { nowMs } = this;
    const first = this.#threadsFreeAtMs.indexOf(Math.min(...this.#threadsFreeAtMs));
    const endsAtMs = Math.max(nowMs, this.#threadsFreeAtMs[first] ?? 0) + ms;
    this.#threadsFreeAtMs[first] = endsAtMs;
    return endsAtMs - nowMs;
  }

  /** How long lookups remain in progress, including those without a client, in milliseconds. */
  get lookupsEndInMs(): number {
    return Math.max(0, ...this.#threadsFreeAtMs.map((atMs) => atMs - this.#loop.nowMs));
  }

  /**
   * Performs a visible effect. A dead process performs none, and a torn effect happens only in part. While the process
   * is blocked, its code continues at once, but each effect happens only when the loop reaches the process's time.
   * @param act gets whether the effect is torn, and its number
   * @param blocksMs how long the call takes to return, which is when the effect happens
   */
  perform(kind: string, subject: string, act: (torn: boolean, effect: number) => void, blocksMs = 0): void {
    if (!this.alive) return;
    const { early, late } = this.#count();
    const effect = this.effects;
    if (early.length > 0) this.#inTurn(() => crashAll(early));
    if (blocksMs > 0 && this.alive) {
      this.#loop.note(this.label, 0, 'blocked', `for ${blocksMs} ms`);
      this.#busyUntilMs = this.nowMs + blocksMs;
    }
    this.#inTurn(() => {
      if (!this.alive) return;
      const torn = late.some(({ when, isDue }) => when === 'torn' && isDue());
      this.#loop.note(this.label, effect, torn ? `${kind} torn` : kind, subject);
      act(torn, effect);
      crashAll(late);
    });
  }

  /** Performs part of an effect when it is due, before any other effect of this process. */
  #inTurn(part: () => void): void {
    const isLater = this.isBusy;
    if (isLater) this.#effectsToCome += 1;
    this.whenReached(() => {
      if (isLater) this.#effectsToCome -= 1;
      part();
    });
  }

  /** Delivers an external event through the event loop of the process. */
  deliver(kind: string, subject: string, task: () => void): void {
    if (!this.alive || this.frozen) return;
    if (this.isBusy) {
      this.whenReached(() => this.deliver(kind, subject, task));
      return;
    }
    const { early, late } = this.#count();
    const number = this.effects;
    const act = (): void => {
      if (!this.alive || this.frozen) return;
      this.#loop.note(this.label, number, kind, subject);
      this.guarded(task);
      crashAll(late);
    };
    // A crash comes first, as a separate event.
    crashAll(early);
    if (early.length > 0) this.#held((run) => this.#loop.firstAt(this.nowMs, run), act);
    else act();
  }

  /** Schedules a task that keeps the process alive until it runs. */
  #held(schedule: (run: () => void) => unknown, task: () => void): void {
    this.holds += 1;
    schedule(() => {
      this.holds -= 1;
      task();
    });
  }

  /** Delivers a signal from any sender. The process handles it immediately, unless it is SIGKILL. */
  signal(name: string): void {
    if (!this.alive) return;
    if (name !== 'SIGKILL') this.#loop.firstAt(this.#loop.nowMs, () => this.whenReached(() => this.#handle(name)));
    else this.finish({ how: 'killed' });
  }

  #handle(name: string): void {
    if (!this.alive || this.frozen) return;
    this.#loop.note(this.label, 0, 'signal', name);
    this.guarded(this.#signals.get(name) ?? (() => this.finish({ how: 'killed' })));
  }

  finish(end: End): void {
    if (!this.alive) return;
    if (end.how !== 'killed' && this.isBusy) {
      this.whenReached(() => this.finish(end));
      return;
    }
    this.end = { ...end, atMs: this.#loop.nowMs, step: this.#loop.step };
    this.#loop.note(this.label, 0, end.how, String(end.code ?? ''));
    for (const listener of this.#onEnd.splice(0)) listener();
  }

  /**
   * Sets a timer that does not keep the process alive. Such timers only check for a new parent, so they run only around
   * that change: once before it, and then a few times on schedule.
   */
  later(ms: number, task: () => void): void {
    if (this.ppid !== INIT_PID) {
      this.#idle = { dueMs: this.#loop.nowMs + ms, task };
      return;
    }
    if (this.#looksLeft > 0) {
      this.#loop.at(this.#loop.nowMs + ms, () => this.whenReached(() => this.alive && task()));
    }
    this.#looksLeft -= 1;
  }

  parentDied(): void {
    const idle = this.#idle;
    if (idle !== undefined && idle.dueMs <= this.#loop.nowMs) idle.task();
    this.ppid = INIT_PID;
    const next = this.#idle;
    if (next !== undefined) this.later(next.dueMs - this.#loop.nowMs, next.task);
  }

  readonly onSignal = (name: string, listener: () => void): void => void this.#signals.set(name, listener);
  readonly onEnd = (listener: () => void): void => void this.#onEnd.push(listener);
  readonly onError = (listener: (error: unknown) => void): void => void this.#onError.push(listener);
  readonly onDrained = (listener: () => void): void => void this.#onDrained.push(listener);
  readonly exitNow = (): void => this.exit();

  setInitialCode(code: number): void {
    this.#exitCode = code;
  }

  setFinalCode(code: number): void {
    this.#exiting = true;
    this.#exitCode = code;
  }

  onFlushed(listener: (isAccepted: boolean) => void): void {
    this.#loop.at(this.nowMs + this.#flushMs, () => {
      if (this.alive) this.guarded(() => listener(this.isStdoutOpen));
    });
  }

  isThreadPoolBusy(): boolean {
    return this.lookupsEndInMs > 0;
  }

  /** The process runs no more code, and exits when its thread pool is idle unless a signal kills it first. */
  exit(): void {
    const end: End = { how: 'exited', code: this.#exitCode };
    const waitsMs = this.lookupsEndInMs;
    if (waitsMs === 0) {
      this.finish(end);
      return;
    }
    this.frozen = true;
    this.#loop.note(this.label, 0, 'waits for its lookups', '');
    this.#loop.at(this.#loop.nowMs + waitsMs, () => this.finish(end));
  }

  /** Ends a process that kills itself after its verdict, so it has failed and has printed everything. */
  kill(): void {
    this.finish({ how: 'exited', code: KILLED });
  }

  /** Runs the process's code for one event. Any exception is uncaught. */
  guarded(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Handles an uncaught exception or an unhandled rejection. */
  fail(error: unknown): void {
    this.#loop.note(this.label, 0, 'uncaught', String(error));
    if (this.#onError.length === 0) this.finish({ how: 'exited', code: 1 });
    for (const listener of this.#onError) listener(error);
  }

  /** Called after all consequences of an event. Ends the process if its loop has nothing left to wait for. */
  noticeDrained(): void {
    const { begun, alive, frozen, holds } = this;
    if (!begun || !alive || frozen || this.#exiting || holds > 0) return;
    if (this.isThreadPoolBusy()) {
      // A lookup without a client keeps the loop running too. Its end calls this method again.
      this.#lookups ??= this.#loop.at(this.#loop.nowMs + this.lookupsEndInMs, () => {
        this.#lookups = undefined;
      });
      return;
    }
    if (!this.drained) {
      this.drained = true;
      this.#loop.note(this.label, 0, 'drained', '');
      for (const listener of this.#onDrained) this.guarded(listener);
      if (this.#exiting) return;
    }
    this.finish({ how: 'drained', code: this.#exitCode });
  }

  /** Counts an effect. Returns the hooks that crash before it, and all other hooks. */
  #count(): { readonly early: readonly Hook[]; readonly late: readonly Hook[] } {
    this.effects += 1;
    const hooks = this.#hooks.filter(({ effect }) => effect === this.effects);
    return {
      early: hooks.filter(({ when }) => when === 'before'),
      late: hooks.filter(({ when }) => when !== 'before'),
    };
  }
}

function crashAll(hooks: readonly Hook[]): void {
  for (const { crash } of hooks) crash();
}

/**
 * A process's clock, which is as wrong and as late as its scenario demands. A timer keeps its process alive and arrives
 * as an event, except for timer number `lostTimer`, which does neither.
 */
function clockOf(process: SimProcess, { loop, clock, lostTimer }: Parts): Clock {
  const { zeroMs, wallOffMs, jumps, timerLateMs } = clock;
  let set = 0;
  return {
    now: () => process.nowMs + zeroMs,
    wall: () =>
      EPOCH_MS +
      process.nowMs +
      wallOffMs +
      jumps.reduce((sum, [atMs, byMs]) => (atMs <= process.nowMs ? sum + byMs : sum), 0),
    after: (ms, task) => {
      set += 1;
      if (!process.alive) return () => undefined;
      if (set === lostTimer) {
        const dueMs = process.nowMs + ms;
        process.lostTimer = true;
        return () => (process.lostTimer &&= process.drained || process.nowMs >= dueMs);
      }
      process.holds += 1;
      const lateMs = ms >= 2 ? timerLateMs : Math.max(0, timerLateMs);
      let isSet = true;
      const fire = (): void => {
        if (!isSet) return;
        // A blocked process runs no timers, and may cancel an overdue one before it runs.
        if (process.isBusy) {
          timer = loop.at(process.nowMs, fire);
          return;
        }
        isSet = false;
        process.holds -= 1;
        process.deliver('timer', '', task);
      };
      let timer = loop.at(process.nowMs + Math.max(0, ms) + lateMs, fire);
      return () => {
        if (isSet) process.holds -= 1;
        isSet = false;
        timer.task = undefined;
      };
    },
  };
}
