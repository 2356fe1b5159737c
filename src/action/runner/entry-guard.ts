// Each entry point runs this module first. The module imports nothing, because it must load on any Node version.

/** The oldest Node.js with all required APIs. GitHub's runners bundle Node 24. Gitea and act find Node on the PATH. */
const OLDEST = { major: 20, minor: 16 };

/** Returns a complaint about the Node.js version, or undefined if the version is new enough. */
export function nodeTooOld(version = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `This action needs Node.js ${OLDEST.major}.${OLDEST.minor} or newer, but the runner started it with Node.js ${version}.`;
}

/** Enforces the exit code, even if other code (such as a script loaded through NODE_OPTIONS) ends the process. */
export interface ExitGuard {
  code: number;
  /** A workflow command to print if other code ends the process, or undefined once the final exit code is set. */
  earlyExitCommand: string | undefined;
  /** Ends the process immediately without running `exit` listeners, because one might never return. */
  readonly exitNow: () => void;
  /** Prints a last workflow command and then ends the process immediately. */
  readonly endWith: (command: string) => void;
}

/** The names of this repository's actions in annotations. */
export type ActionName = 'run-pipeline' | 'run-pipeline/cancel';

/** Returns the title of an annotation: the action and the subject. */
export function titleOf(subject = '', action: ActionName = 'run-pipeline'): string {
  return subject === '' ? action : `${action}: ${subject}`;
}

/** Returns a workflow command for a process that cannot load the toolkit. `message` must already be escaped. */
export function commandOf(level: 'error' | 'warning', message: string, action?: ActionName): string {
  return `::${level} title=${titleOf('', action)}::${message}`;
}

/** Returns the message of an error, escaped for a workflow command. */
export function commandText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll('%', '%25').replace(/\s+/g, ' ').slice(0, 500);
}

/** Enforces an exit code, and prints `earlyExitCommand` if other code ends the process. */
export function guardExit(code: number, earlyExitCommand?: string): ExitGuard {
  // Both `process.exit` and Node itself call `reallyExit` to exit. The signal-exit package replaces this function too.
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
  // Node skips reallyExit after an uncaught exception or when nothing is left to do, and other code may replace it.
  process.on('exit', () => {
    printEarlyExit();
    process.exitCode = guard.code;
  });
  process.exitCode = code;
  return guard;
}
