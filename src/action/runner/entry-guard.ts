// What an entry runs before it loads the rest. It must load on any Node, so it imports nothing.

/** The oldest version with all that the action uses. GitHub's runners bring Node 24; act and Gitea use the PATH. */
const OLDEST = { major: 20, minor: 16 };

/** What is wrong with the version of Node.js; undefined if it is new enough. */
export function nodeTooOld(version = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `This action needs Node.js ${OLDEST.major}.${OLDEST.minor} or newer, but the runner started it with Node.js ${version}.`;
}

/** Enforces the exit code, even if other code (such as a script in NODE_OPTIONS) ends the process. */
export interface ExitGuard {
  code: number;
  /** A workflow command to print if other code ends the process; undefined once the final code is set. */
  earlyExitCommand: string | undefined;
  /** Ends the process at once, without its `exit` listeners, because they might never return. */
  readonly exitNow: () => void;
  /** Prints a last workflow command, and then ends the process at once. */
  readonly endWith: (command: string) => void;
}

/** The actions of this repository, as annotations name them. */
export type ActionName = 'run-pipeline' | 'run-pipeline/cancel';

/** The title of an annotation: the action, and what the annotation is about. */
export function titleOf(subject = '', action: ActionName = 'run-pipeline'): string {
  return subject === '' ? action : `${action}: ${subject}`;
}

/** A workflow command for a process that cannot load the toolkit. `message` must be fit for it. */
export function commandOf(level: 'error' | 'warning', message: string, action?: ActionName): string {
  return `::${level} title=${titleOf('', action)}::${message}`;
}

/** The message of an error, fit for a workflow command. */
export function commandText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll('%', '%25').replace(/\s+/g, ' ').slice(0, 500);
}

/** Starts to enforce an exit code, and to print `earlyExitCommand` if other code ends the process. */
export function guardExit(code: number, earlyExitCommand?: string): ExitGuard {
  // `process.exit` and Node itself end the process through this function. The package signal-exit replaces it as well.
  const host = process as NodeJS.Process & { reallyExit: (code: number) => void };
  const { reallyExit } = host;
  const printEarlyExit = (): void => {
    if (guard.earlyExitCommand !== undefined) process.stdout.write(`${guard.earlyExitCommand}\n`);
    guard.earlyExitCommand = undefined;
  };
  const guard: ExitGuard = {
    code,
    earlyExitCommand,
    exitNow: () => {
      printEarlyExit();
      reallyExit.call(process, guard.code);
    },
    endWith: (command) => {
      guard.earlyExitCommand = undefined;
      process.stdout.write(`${command}\n`, guard.exitNow);
    },
  };
  host.reallyExit = guard.exitNow;
  // Node does not call reallyExit when nothing is left to do, or after an uncaught exception; other code may replace it.
  process.on('exit', () => {
    printEarlyExit();
    process.exitCode = guard.code;
  });
  process.exitCode = code;
  return guard;
}
