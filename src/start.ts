import { hostname } from 'node:os';
import { type ExitGuard, titleOf } from './action/runner/entry-guard.ts';
import { systemFiles } from './action/runner/files.ts';
import { controlOf, print, runMain, runPost } from './action/runner/process.ts';
import { ownStart, systemProcesses } from './action/runner/processes.ts';
import { listenForInterruption, processEvents } from './action/runner/signals.ts';
import { githubToolkit } from './action/runner/toolkit.ts';
import { prepareCancel } from './action/steps/cancel-step.ts';
import type { Machine } from './action/steps/machine.ts';
import { prepareMain } from './action/steps/main-step.ts';
import { performPost } from './action/steps/post-step.ts';
import { systemClock } from './base/clock.ts';
import { oneLine } from './base/safe-text.ts';
import { REPORT_IT, VERSION } from './base/version.ts';
import { createService } from './service/client.ts';

/** Returns the real parts of the machine. From this call on, the process listens for signals. */
function machine(): Machine {
  return {
    env: process.env,
    clock: systemClock,
    random: Math.random,
    files: systemFiles,
    toolkit: githubToolkit,
    print,
    interruption: listenForInterruption(processEvents, systemClock),
    async openService(options) {
      // Load this on demand, because HTTP and TLS add 22 ms (median of 20) to a start, even one with an invalid input.
      const { createHttpConnection } = await import('./http.ts');
      const connection = createHttpConnection({ userAgent: `run-pipeline/${VERSION}`, env: process.env });
      return createService({ ...options, clock: systemClock, connection });
    },
  };
}

/** Runs the main step as this process. */
export function startMain(guard: ExitGuard): void {
  const parts = { ...machine(), pid: process.pid, startedAt: ownStart(), host: hostname() };
  runMain(prepareMain(parts), githubToolkit.debug, { ...parts, control: controlOf(guard) });
}

/** Runs the cancel action as this process. */
export function startCancel(guard: ExitGuard): void {
  const parts = machine();
  runMain(prepareCancel(parts), githubToolkit.debug, { ...parts, control: controlOf(guard) });
}

/** Runs the post step as this process. */
export function startPost(guard: ExitGuard): void {
  const parts = { ...machine(), host: hostname(), processes: systemProcesses };
  const warn = (why: string): void => {
    const failed = `Internal error in the post step: ${oneLine(why)}. Check the application for runs that were not cancelled. ${REPORT_IT}`;
    githubToolkit.annotate('warning', titleOf(), failed);
  };
  const onStray = (why: string): void =>
    print(`Uncaught error, probably from other code in this process: ${oneLine(why)}. The post step continues.`);
  runPost(() => performPost(parts), { warn, onStray }, { ...parts, control: controlOf(guard) });
}
