import type { ProcessControl } from '../../../src/action/runner/process.ts';
import type { Loop, Scheduled } from './loop.ts';
import type { SimProcess } from './sim-process.ts';
import type { Trace } from './trace.ts';

/** As a shell shows a process that SIGKILL has ended. */
const KILLED = 137;

/** How a process ends when nobody ends it: by its own word, by an error, or because its loop has drained. */
export class SimHost implements ProcessControl {
  /** Nothing was left to wait for, once at least. */
  drained = false;
  /** It has its verdict, and ends when stdout is flushed. */
  #exiting = false;
  #exitCode = 0;
  #lookups: Scheduled | undefined;
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

  setInitialCode(code: number): void {
    this.#exitCode = code;
  }

  onError(listener: (error: unknown) => void): void {
    this.#onError.push(listener);
  }

  onDrained(listener: () => void): void {
    this.#onDrained.push(listener);
  }

  setFinalCode(code: number): void {
    this.#exiting = true;
    this.#exitCode = code;
  }

  onFlushed(listener: (isAccepted: boolean) => void): void {
    this.#loop.at(this.#process.nowMs + this.#flushMs, () => {
      if (this.#process.alive) this.guarded(() => listener(this.#process.isStdoutOpen));
    });
  }

  /** Lookups under way, which `exit` waits for. */
  isThreadPoolBusy(): boolean {
    return this.#process.lookupsEndInMs > 0;
  }

  /** The process runs nothing any more, and is gone when its thread pool is idle, unless something kills it first. */
  exit(): void {
    const code = this.#exitCode;
    const waitsMs = this.#process.lookupsEndInMs;
    if (waitsMs === 0) {
      this.#process.finish({ how: 'exited', code });
      return;
    }
    this.#process.frozen = true;
    this.#trace.note(this.#process.label, 0, 'waits for its lookups', '');
    this.#loop.at(this.#loop.nowMs + waitsMs, () => this.#process.finish({ how: 'exited', code }));
  }

  exitNow(): void {
    this.exit();
  }

  /** Ends the process as a user sees it that is killed after its verdict: it has failed, and has said everything. */
  kill(): void {
    this.#process.finish({ how: 'exited', code: KILLED });
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
    if (this.isThreadPoolBusy()) {
      // A lookup whose client is gone keeps the loop running too: this is asked again when it has ended.
      this.#lookups ??= this.#loop.at(this.#loop.nowMs + this.#process.lookupsEndInMs, () => {
        this.#lookups = undefined;
      });
      return;
    }
    if (!this.drained) {
      this.drained = true;
      this.#trace.note(this.#process.label, 0, 'drained', '');
      for (const listener of this.#onDrained) this.guarded(listener);
      if (this.#exiting) return;
    }
    this.#process.finish({ how: 'drained', code: this.#exitCode });
  }
}
