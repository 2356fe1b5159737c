import { systemFiles } from './action/files.ts';
import { performPost } from './action/post-step.ts';
import { print, runPost } from './action/process.ts';
import { systemProcesses } from './action/processes.ts';
import { listenForInterruption, processInterrupters } from './action/signals.ts';
import { githubToolkit } from './action/toolkit.ts';
import { systemClock } from './base/clock.ts';
import { oneLine } from './base/safe-text.ts';

/** The post step over the machine's own parts, once it is clear that there may be something to do. */
export function settleLeftovers(): void {
  const parts = {
    env: process.env,
    clock: systemClock,
    random: Math.random,
    files: systemFiles,
    processes: systemProcesses,
    toolkit: githubToolkit,
    print,
    interruption: listenForInterruption(processInterrupters, systemClock),
    loadService: async () => (await import('./open-service.ts')).openService,
  };
  runPost(
    () => performPost(parts),
    (why) =>
      githubToolkit.annotate('warning', 'run-pipeline', `The post step failed by itself: ${oneLine(why)}.`),
  );
}
