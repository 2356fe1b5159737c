import type { MainStep } from './main-step.ts';

/** A stdout that takes nothing any more must not keep the process, in milliseconds. */
const FLUSH_WITHIN_MS = 250;

/** Writes a line to stdout. A reader that is gone is heard of through the stream's `error` event, never here. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * Runs the main step as this process. The exit code is 1 from here on, until the step has proven otherwise: an
 * exception, a rejection that nobody handles and a loop that drains are all failures, and are told as such.
 */
export function runMain(step: MainStep, debug: (line: string) => void): void {
  process.exitCode = 1;
  let over = false;
  const leave = (code: number): void => {
    over = true;
    exit(code);
  };
  const crash = (error: unknown): void => {
    if (over) return;
    over = true;
    if (error instanceof Error && error.stack !== undefined) debug(error.stack);
    exit(step.crash(error instanceof Error ? `${error.name}: ${error.message}` : String(error)));
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  process.on('beforeExit', () => crash('nothing was left to wait for, although the run was not over'));
  step.run().then(leave, crash);
}

/** Runs a post step as this process: whatever happens, the job does not fail by it. */
export function runPost(post: () => Promise<void>, warn: (why: string) => void): void {
  process.exitCode = 0;
  const crash = (error: unknown): void => {
    warn(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    exit(0);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  post().then(() => exit(0), crash);
}

/** Ends the process once stdout has taken everything; a socket that dangles does not keep it. */
function exit(code: number): void {
  process.exitCode = code;
  const end = (): void => process.exit(code);
  setTimeout(end, FLUSH_WITHIN_MS);
  process.stdout.write('', end);
}
