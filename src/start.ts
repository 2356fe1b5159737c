import { prepareCancel } from './action/cancel-step.ts';
import type { ExitGuard } from './action/exit-guard.ts';
import { systemFiles } from './action/files.ts';
import { prepareMain } from './action/main-step.ts';
import { performPost } from './action/post-step.ts';
import { print, runMain, runPost, thisProcess } from './action/process.ts';
import { ownStart, systemProcesses } from './action/processes.ts';
import type { OpenService } from './action/service.ts';
import { listenForInterruption, processInterrupters } from './action/signals.ts';
import { githubToolkit } from './action/toolkit.ts';
import { systemClock } from './base/clock.ts';
import { oneLine } from './base/safe-text.ts';
import { VERSION } from './base/version.ts';
import { REPORT_IT } from './run/conduct.ts';
import { createService } from './service/client.ts';
import { lateWire } from './service/late-wire.ts';

/** The real service, over HTTP and by the machine's own clock. */
const openService: OpenService = (options) =>
  createService({
    ...options,
    clock: systemClock,
    wire: lateWire(async () => {
      const { createHttpWire } = await import('./http.ts');
      return createHttpWire({ userAgent: `run-pipeline/${VERSION}`, env: process.env });
    }),
  });

/** The machine's own parts, which every step of the action lives on. Listens for signals from here on. */
function machine() {
  return {
    env: process.env,
    clock: systemClock,
    random: Math.random,
    files: systemFiles,
    toolkit: githubToolkit,
    print,
    interruption: listenForInterruption(processInterrupters, systemClock),
    openService,
  };
}

/** Runs the main step as this process. */
export function startMain(guard: ExitGuard): void {
  const parts = { ...machine(), pid: process.pid, startedAt: ownStart() };
  runMain(prepareMain(parts), githubToolkit.debug, { ...parts, host: thisProcess(guard) });
}

/** Runs the cancel action as this process. */
export function startCancel(guard: ExitGuard): void {
  const parts = machine();
  runMain(prepareCancel(parts), githubToolkit.debug, { ...parts, host: thisProcess(guard) });
}

/** Runs the post step as this process, once it is clear that there may be something to do. */
export function startPost(guard: ExitGuard): void {
  const parts = { ...machine(), processes: systemProcesses };
  const warn = (why: string): void => {
    const failed = `The post step failed by itself: ${oneLine(why)}. Look in the application for what was not cancelled. ${REPORT_IT}`;
    githubToolkit.annotate('warning', 'run-pipeline', failed);
  };
  runPost(() => performPost(parts), warn, { ...parts, host: thisProcess(guard) });
}
