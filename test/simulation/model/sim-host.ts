import type { Host } from '../../../src/action/process.ts';
import type { Loop } from './loop.ts';
import type { SimProcess } from './sim-process.ts';
import type { Trace } from './trace.ts';

/** How a process ends when nobody ends it: by its own word, by an error, or because its loop has drained. */
export class SimHost implements Host {
  /** Nothing was left to wait for, once at least. */
  drained = false;
  /** It has its verdict, and ends when stdout is flushed. */
  #exiting = false;
  #exitCode = 0;
  readonly #onError: ((error: unknown) => void)[] = [];
  readonly #onDrained: (() => void)[] = [];
  readonly #process: SimProcess;
  readonly #loop: Loop;
  readonly #trace: Trace;
  readonly #flushMs: number;

  constructor(process: SimProcess, loop: Loop, trace: Trace, flushMs: number) {
    this.#process = process;
    this.#loop = loop;
    this.#trace = trace;
    this.#flushMs = flushMs;
  }

  exitCode(code: number): void {
    this.#exitCode = code;
  }

  onError(listener: (error: unknown) => void): void {
    this.#onError.push(listener);
  }

  onDrained(listener: () => void): void {
    this.#onDrained.push(listener);
  }

  verdict(code: number): void {
    this.#exiting = true;
    this.#exitCode = code;
  }

  flushed(done: () => void): void {
    this.#loop.at(this.#loop.nowMs + this.#flushMs, () => {
      if (this.#process.alive) this.guarded(done);
    });
  }

  hasPendingWork(): boolean {
    return false;
  }

  exit(): void {
    this.#process.finish({ how: 'exited', code: this.#exitCode });
  }

  exitNow(): void {
    this.exit();
  }

  kill(): void {
    this.#process.finish({ how: 'killed' });
  }

  /** Runs what the process has to do in an event; what it throws is an exception that nobody caught. */
  guarded(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.fail(error);
    }
  }

  /** An exception that nobody caught, or a rejection that nobody handled. */
  fail(error: unknown): void {
    this.#trace.note(this.#process.label, 0, 'uncaught', String(error));
    if (this.#onError.length === 0) this.#process.finish({ how: 'exited', code: 1 });
    for (const listener of this.#onError) listener(error);
  }

  /** To be asked when everything that an event led to is done: a loop with nothing to wait for ends. */
  noticeDrained(): void {
    const { begun, alive, frozen, holds } = this.#process;
    if (!begun || !alive || frozen || this.#exiting || holds > 0) return;
    if (!this.drained) {
      this.drained = true;
      this.#trace.note(this.#process.label, 0, 'drained', '');
      for (const listener of this.#onDrained) this.guarded(listener);
      if (this.#exiting) return;
    }
    this.#process.finish({ how: 'drained', code: this.#exitCode });
  }
}
