import { systemFiles } from './action/files.ts';
import { prepareMain } from './action/main-step.ts';
import { print, runMain } from './action/process.ts';
import { ownStart } from './action/processes.ts';
import { listenForInterruption, processInterrupters } from './action/signals.ts';
import { githubToolkit } from './action/toolkit.ts';
import { systemClock } from './base/clock.ts';
import { openService } from './open-service.ts';

runMain(
  prepareMain({
    env: process.env,
    pid: process.pid,
    startedAt: ownStart(),
    clock: systemClock,
    random: Math.random,
    files: systemFiles,
    toolkit: githubToolkit,
    print,
    interruption: listenForInterruption(processInterrupters, systemClock),
    openService,
  }),
  githubToolkit.debug,
);
