import type { MainStep } from './main-step.ts';

/** A stdout that takes nothing any more must not keep the process, in milliseconds. */
const FLUSH_WITHIN_MS = 250;

/** Writes a line to stdout. A reader that is gone is heard of through the stream's `error` event, never here. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What a process knows of its own end; handed in, so that a whole life of it can be lived elsewhere too. */
export interface Host {
  /** What the process ends with when nothing else is said. */
  exitCode(code: number): void;
  /** An exception that nobody caught, or a rejection that nobody handled. */
  onError(listener: (error: unknown) => void): void;
  /** Nothing is left to wait for. */
  onDrained(listener: () => void): void;
  /** Ends the process once stdout has taken everything; a socket that dangles does not keep it. */
  exit(code: number): void;
}

const thisProcess: Host = {
  exitCode(code) {
    process.exitCode = code;
  },
  onError(listener) {
    process.on('uncaughtException', listener);
    process.on('unhandledRejection', listener);
  },
  onDrained(listener) {
    process.on('beforeExit', listener);
  },
  exit(code) {
    process.exitCode = code;
    const end = (): void => process.exit(code);
    setTimeout(end, FLUSH_WITHIN_MS);
    process.stdout.write('', end);
  },
};

/**
 * Runs the main step as this process. The exit code is 1 from here on, until the step has proven otherwise: an
 * exception, a rejection that nobody handles and a loop that drains are all failures, and are told as such.
 */
export function runMain(step: MainStep, debug: (line: string) => void, host: Host = thisProcess): void {
  host.exitCode(1);
  let over = false;
  const leave = (code: number): void => {
    over = true;
    host.exit(code);
  };
  const crash = (error: unknown): void => {
    if (over) return;
    over = true;
    if (error instanceof Error && error.stack !== undefined) debug(error.stack);
    host.exit(step.crash(error instanceof Error ? `${error.name}: ${error.message}` : String(error)));
  };
  host.onError(crash);
  host.onDrained(() => crash('nothing was left to wait for, although the run was not over'));
  step.run().then(leave, crash);
}

/** Runs a post step as this process: whatever happens, the job does not fail by it. */
export function runPost(
  post: () => Promise<void>,
  warn: (why: string) => void,
  host: Host = thisProcess,
): void {
  host.exitCode(0);
  let over = false;
  const leave = (why?: string): void => {
    if (over) return;
    over = true;
    if (why !== undefined) warn(why);
    host.exit(0);
  };
  const crash = (error: unknown): void =>
    leave(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  host.onError(crash);
  host.onDrained(() => leave('nothing was left to wait for, although it was not done'));
  post().then(() => leave(), crash);
}
