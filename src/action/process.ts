import { type EndParts, endProcess } from './end-process.ts';
import type { ExitGuard } from './exit-guard.ts';
import type { MainStep } from './main-step.ts';

/** Writes a line to stdout. A reader that is gone is heard of through the stream's `error` event, never here. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What a process can do about its own end: primitives, which a simulation replaces. `endProcess` decides. */
export interface Host {
  /** What the process ends with until its verdict is reached, even if other code in it ends it. */
  exitCode(code: number): void;
  /** The verdict is reached: the process ends with this code, even if other code in it ends it. */
  verdict(code: number): void;
  /** An exception that nobody caught, or a rejection that nobody handled. */
  onError(listener: (error: unknown) => void): void;
  /** Nothing is left to wait for. */
  onDrained(listener: () => void): void;
  /** Calls back when stdout has taken everything written so far, or will take nothing any more. */
  flushed(done: () => void): void;
  /** Whether requests to the thread pool are pending, which the exit of the process would wait for. */
  hasPendingWork(): boolean;
  /** Ends the process in the usual way: `exit` listeners of other code are called, and the thread pool is joined. */
  exit(): void;
  /** Ends the process without those listeners, which might never return. Joins the thread pool. */
  exitNow(): void;
  /** Ends the process by SIGKILL, which waits for nothing. */
  kill(): void;
}

/** Lookups of names, and operations on files (a module that is being loaded, a script in NODE_OPTIONS). */
const THREAD_POOL_REQUEST = /^(?:GetAddrInfoReq|GetNameInfoReq|FSReq|FileHandleCloseReq)/;

/** This very process, whose exit code `guard` forces. */
export function thisProcess(guard: ExitGuard): Host {
  return {
    exitCode(code) {
      guard.code = code;
    },
    verdict(code) {
      guard.code = code;
      guard.cutShort = undefined;
    },
    onError(listener) {
      process.on('uncaughtException', listener);
      process.on('unhandledRejection', listener);
    },
    onDrained(listener) {
      process.on('beforeExit', listener);
    },
    flushed(done) {
      process.stdout.write('', () => done());
    },
    hasPendingWork: () => process.getActiveResourcesInfo().some((name) => THREAD_POOL_REQUEST.test(name)),
    exit() {
      process.exit(guard.code);
    },
    exitNow: () => guard.exitNow(),
    kill() {
      process.kill(process.pid, 'SIGKILL');
    },
  };
}

/**
 * Runs the main step as this process. The exit code is 1 from here on, until the step has proven otherwise: an
 * exception, a rejection that nobody handles and a loop that drains are all failures, and are told as such.
 */
export function runMain(step: MainStep, debug: (line: string) => void, parts: EndParts): void {
  const { host } = parts;
  host.exitCode(1);
  let over = false;
  const leave = (code: number): void => {
    if (over) return;
    over = true;
    endProcess(code, parts);
  };
  const crash = (error: unknown): void => {
    if (over) return;
    over = true;
    if (error instanceof Error && error.stack !== undefined) debug(error.stack);
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    endProcess(step.crash(why), parts);
  };
  host.onError(crash);
  host.onDrained(() => crash('nothing was left to wait for, although the run was not over'));
  step.run().then(leave, crash);
}

/** Runs a post step as this process: whatever happens, the job does not fail by it. */
export function runPost(post: () => Promise<void>, warn: (why: string) => void, parts: EndParts): void {
  const { host } = parts;
  host.exitCode(0);
  let over = false;
  const leave = (why?: string): void => {
    if (over) return;
    over = true;
    if (why !== undefined) warn(why);
    endProcess(0, parts);
  };
  const crash = (error: unknown): void =>
    leave(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  host.onError(crash);
  host.onDrained(() => leave('nothing was left to wait for, although it was not done'));
  post().then(() => leave(), crash);
}
