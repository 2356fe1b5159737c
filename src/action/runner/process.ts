import type { Clock } from '../../base/clock.ts';
import { namedMessageOf } from '../../base/safe-text.ts';
import { hurriedSince, type Interruption } from '../../run/interruption.ts';
import type { MainStep } from '../steps/main-step.ts';
import type { ExitGuard } from './entry-guard.ts';
import { orElse } from './files.ts';

/** Writes a line to stdout. Never throws, because a closed stdout emits an `error` event instead. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Primitives for ending a process. They contain no decisions, and the simulation replaces them. */
export interface ProcessControl {
  /** Sets the exit code that applies until the final one is set. */
  setInitialCode(code: number): void;
  setFinalCode(code: number): void;
  /** Calls `listener` for each uncaught exception and unhandled rejection. */
  onError(listener: (error: unknown) => void): void;
  /** Calls `listener` when the event loop has nothing left to wait for. */
  onDrained(listener: () => void): void;
  /** Calls `listener` once stdout has accepted everything written so far or has failed. */
  onFlushed(listener: (isAccepted: boolean) => void): void;
  /** Returns whether the thread pool is busy. Every exit except `kill` waits until it is idle. */
  isThreadPoolBusy(): boolean;
  /** Exits normally and runs the `exit` listeners of other code. */
  exit(): void;
  /** Exits without running those listeners, because they might never return. */
  exitNow(): void;
  /** Kills the process with SIGKILL. */
  kill(): void;
}

/** Matches DNS lookups and file operations of the thread pool, such as loading a module or a script in NODE_OPTIONS. */
const THREAD_POOL_REQUEST = /^(?:GetAddrInfoReq|GetNameInfoReq|FSReq|FileHandleCloseReq)/;

/** Controls this process, whose exit code `guard` enforces. */
export function controlOf(guard: ExitGuard): ProcessControl {
  return {
    setInitialCode(code) {
      guard.code = code;
    },
    setFinalCode(code) {
      guard.code = code;
      guard.earlyExitCommand = undefined;
    },
    onError(listener) {
      process.on('uncaughtException', listener);
      process.on('unhandledRejection', listener);
    },
    onDrained: (listener) => void process.on('beforeExit', listener),
    onFlushed: (listener) => void process.stdout.write('', (error) => listener(!error)),
    isThreadPoolBusy: () => process.getActiveResourcesInfo().some((name) => THREAD_POOL_REQUEST.test(name)),
    exit() {
      try {
        process.exit(guard.code);
      } finally {
        // If an `exit` listener of other code throws, `process.exit` does not exit.
        guard.exitNow();
      }
    },
    exitNow: guard.exitNow,
    kill: () => void process.kill(process.pid, 'SIGKILL'),
  };
}

/** Everything needed to end a process. */
type ExitParts = Readonly<{ control: ProcessControl; clock: Clock; interruption: Interruption }>;

/** Runs a main step as this process. The process fails unless the step resolves with 0. */
export function runMain(step: MainStep, debug: (line: string) => void, parts: ExitParts): void {
  const drained = 'nothing was left to wait for, although the run had not finished';
  runStep(step, { initialCode: 1, drained, debug }, parts);
}

/** `warn` reports a failure of post. `onStray` reports an uncaught error, likely of other code, and post continues. */
type PostListeners = Readonly<Record<'warn' | 'onStray', (why: string) => void>>;

/** Runs a post step as this process. Its exit code is 0 even after a crash, so it never fails the job. */
export function runPost(post: () => Promise<void>, { warn, onStray }: PostListeners, parts: ExitParts): void {
  const crash = (why: string): number => {
    warn(why);
    return 0;
  };
  const drained = 'nothing was left to wait for, although it was not done';
  const step = { run: () => post().then(() => 0), crash, close: () => undefined };
  runStep(step, { initialCode: 0, drained, onStray }, parts);
}

interface Options {
  readonly initialCode: number;
  /** The failure to report if the event loop drains before the step has settled. */
  readonly drained: string;
  readonly debug?: (stack: string) => void;
  /** Called with each uncaught error. If absent, an uncaught error fails the step. */
  readonly onStray?: (why: string) => void;
}

/** Runs a step, and ends the process once, with the step's exit code or, after a failure, with the one from `crash`. */
function runStep(step: MainStep, { initialCode, drained, debug, onStray }: Options, parts: ExitParts): void {
  const { control } = parts;
  control.setInitialCode(initialCode);
  let isEnding = false;
  const end = (finalCode: () => number): void => {
    if (isEnding) return;
    isEnding = true;
    // If the final report throws, the process must still end.
    endProcess(orElse(initialCode, finalCode), parts, (isPrinted) => step.close(isPrinted));
  };
  const crash = (error: unknown): number => {
    if (error instanceof Error && error.stack !== undefined) debug?.(error.stack);
    return step.crash(namedMessageOf(error));
  };
  const fail = (error: unknown): void => end(() => crash(error));
  control.onError(onStray === undefined ? fail : (error) => onStray(namedMessageOf(error)));
  control.onDrained(() => fail(drained));
  step.run().then((code) => end(() => code), fail);
}

/** Time for stdout to accept the rest of the log, in milliseconds. */
const FLUSH_MS = 5_000;
/** The same limit after an interruption. Main may print its last line after 9.3 s, and runners kill it after 10 s. */
const INTERRUPTED_FLUSH_MS = 250;
/** Interval between checks of the thread pool and the time limits, in milliseconds. */
const CHECK_EVERY_MS = 25;

/** Ends the process with its final exit code, once stdout has accepted the log or the time limit has passed. */
export function endProcess(code: number, parts: ExitParts, onEnd: (isPrinted: boolean) => void): void {
  const { control, clock, interruption } = parts;
  const since = clock.now();
  const until = (): number =>
    Math.min(since + FLUSH_MS, Math.max(since, hurriedSince(interruption)) + INTERRUPTED_FLUSH_MS);
  /** Whether stdout accepted the whole log, or undefined until stdout has accepted the log or failed. */
  let isAccepted: boolean | undefined;
  let hasEnded = false;
  const tryEnd = (): void => {
    if (hasEnded) return;
    // On exit, Node waits for its thread pool, up to 20 s for a DNS lookup that hangs. A failing process therefore
    // waits here and kills itself at the time limit. For a successful process, a kill would make the step fail.
    const isHeldUp = code !== 0 && control.isThreadPoolBusy();
    if (clock.now() < until() && (isAccepted === undefined || isHeldUp)) return;
    hasEnded = true;
    onEnd(isAccepted === true);
    if (isHeldUp) control.kill();
    else if (code === 0) control.exit();
    // Skip the `exit` listeners of other code, because one might throw and change the exit code.
    else control.exitNow();
  };
  const check = (): void => {
    tryEnd();
    if (!hasEnded) clock.after(CHECK_EVERY_MS, check);
  };
  control.setFinalCode(code);
  control.onFlushed((accepted) => {
    isAccepted = accepted;
    tryEnd();
  });
  check();
}
