import type { Clock } from '../../base/clock.ts';
import { namedMessageOf } from '../../base/safe-text.ts';
import { hurriedSince, type Interruption } from '../../run/interruption.ts';
import type { MainStep } from '../steps/main-step.ts';
import type { ExitGuard } from './entry-guard.ts';
import { orElse } from './files.ts';

/** Writes a line to stdout. Never throws: a closed stdout is reported as an `error` event of the stream. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** How a process ends: primitives without decisions, which the simulation replaces. */
export interface ProcessControl {
  /** Sets the exit code that applies until the final one is set. */
  setInitialCode(code: number): void;
  setFinalCode(code: number): void;
  /** For each uncaught exception and unhandled rejection. */
  onError(listener: (error: unknown) => void): void;
  /** When the event loop has nothing left to wait for. */
  onDrained(listener: () => void): void;
  /** Once stdout has accepted everything written so far, or has failed. */
  onFlushed(listener: (isAccepted: boolean) => void): void;
  /** Whether the thread pool is busy. Every exit except `kill` waits for it. */
  isThreadPoolBusy(): boolean;
  /** Exits in the usual way, with the `exit` listeners of other code. */
  exit(): void;
  /** Exits without those listeners, because they might never return. */
  exitNow(): void;
  /** Kills the process with SIGKILL. */
  kill(): void;
}

/** Name lookups, and operations on files (a module that is being loaded, a script in NODE_OPTIONS). */
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
        // A listener of other code has thrown, and the process would go on.
        guard.exitNow();
      }
    },
    exitNow: guard.exitNow,
    kill: () => void process.kill(process.pid, 'SIGKILL'),
  };
}

/** What the end of a process depends on. */
type ExitParts = Readonly<{ control: ProcessControl; clock: Clock; interruption: Interruption }>;

/** Runs a main step as this process. It fails unless the step resolves with 0. */
export function runMain(step: MainStep, debug: (line: string) => void, parts: ExitParts): void {
  const drained = 'nothing was left to wait for, although the run had not finished';
  runStep(step, { initialCode: 1, drained, debug }, parts);
}

/** What a post step reports: its own failure, and an uncaught error, probably one of other code, after which it goes on. */
type PostListeners = Readonly<Record<'warn' | 'onStray', (why: string) => void>>;

/** Runs a post step as this process. It never fails the job: its exit code is 0 even after a crash. */
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
  /** Called with an uncaught error. Absent: it is a failure. */
  readonly onStray?: (why: string) => void;
}

/** Ends the process once, with the exit code of the step, or with that of `crash` after the first failure. */
function runStep(step: MainStep, { initialCode, drained, debug, onStray }: Options, parts: ExitParts): void {
  const { control } = parts;
  control.setInitialCode(initialCode);
  let isEnding = false;
  const end = (finalCode: () => number): void => {
    if (isEnding) return;
    isEnding = true;
    // A report that fails must not keep the process from ending.
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

/** How long stdout may take to accept the rest of the log, in milliseconds. */
const FLUSH_MS = 5_000;
/** The same after an interruption: the last line may be printed after 9.3 s, and runners kill after 10 s. */
const INTERRUPTED_FLUSH_MS = 250;
/** How often the thread pool and the time limits are checked, in milliseconds. */
const CHECK_EVERY_MS = 25;

/** Ends the process with its final exit code, once stdout has accepted the log or the time for that is up. */
export function endProcess(code: number, parts: ExitParts, onEnd: (isPrinted: boolean) => void): void {
  const { control, clock, interruption } = parts;
  const since = clock.now();
  const until = (): number =>
    Math.min(since + FLUSH_MS, Math.max(since, hurriedSince(interruption)) + INTERRUPTED_FLUSH_MS);
  /** Whether stdout accepted everything; undefined until it has, or has failed. */
  let isAccepted: boolean | undefined;
  let hasEnded = false;
  const tryEnd = (): void => {
    if (hasEnded) return;
    // When Node exits, it waits for its thread pool: up to 20 s for a name lookup that hangs. A failing process therefore
    // waits here, and kills itself when its time is up; a successful one would fail by a kill.
    const isHeldUp = code !== 0 && control.isThreadPoolBusy();
    if (clock.now() < until() && (isAccepted === undefined || isHeldUp)) return;
    hasEnded = true;
    onEnd(isAccepted === true);
    if (isHeldUp) control.kill();
    else if (code === 0) control.exit();
    // The `exit` listeners of other code might also throw, and so change the exit code.
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
