/** What this process ends with, even if other code in it (a script in NODE_OPTIONS, say) ends it. */
export interface ExitGuard {
  /** The exit code. */
  code: number;
  /** A workflow command, printed if other code ends the process; undefined once the verdict is reached. */
  cutShort: string | undefined;
  /** Ends the process at once: `exit` listeners, which might never return, are not called. */
  readonly exitNow: () => void;
}

/**
 * Forces the exit code of this process from now on, until its verdict replaces it. `process.exit` and Node itself look
 * up `process.reallyExit` when they end the process, so that is the one place to replace, as the package signal-exit
 * does.
 */
export function guardExit(code: number, cutShort: string): ExitGuard {
  const host = process as NodeJS.Process & { reallyExit: (code: number) => void };
  const { reallyExit } = host;
  const guard: ExitGuard = {
    code,
    cutShort,
    exitNow: () => {
      if (guard.cutShort !== undefined) process.stdout.write(`${guard.cutShort}\n`);
      guard.cutShort = undefined;
      reallyExit.call(process, guard.code);
    },
  };
  host.reallyExit = guard.exitNow;
  // Node ends a process that has nothing left to do, or that has thrown, without reallyExit.
  const setCode = (): void => {
    process.exitCode = guard.code;
  };
  process.on('exit', setCode);
  setCode();
  return guard;
}
