/*
 * The programs that a fake process executes. They begin with what src/main.ts, src/post.ts and src/cancel.ts do before
 * they load the bundle, and end as src/index.ts does. Those files use the real process, so this file repeats their
 * structure; test/e2e runs the real ones.
 */
import { cancelStep } from '../../src/action/cancel-step.ts';
import { mainStep } from '../../src/action/main-step.ts';
import { postStep } from '../../src/action/post-step.ts';
import { runProcess, type Step } from '../../src/action/process.ts';
import { listenForInterruption, type WatchedInterruption } from '../../src/action/signals.ts';
import { isIdle } from '../../src/early.ts';
import type { World } from '../../src/world.ts';
import type { FakeProcess } from './process.ts';

export type Entry = 'main' | 'post' | 'cancel';

/** Loads the bundle, which takes a turn of the event loop in which a signal still kills the process. */
function load(process: FakeProcess, start: (world: World) => void): void {
  process.after(0, () => process.deliver('loads', () => start(process.world)));
}

function run(
  process: FakeProcess,
  step: (world: World, interruption: WatchedInterruption) => Step,
  codeOfFailure: 0 | 1 = 1,
): void {
  // Like src/early.ts, reads the parent before anything else loads.
  const parent = process.world.host.parent();
  load(process, (world) => {
    const interruption = listenForInterruption(world, parent);
    runProcess(world, step(world, interruption), interruption, codeOfFailure);
  });
}

export const ENTRIES: Readonly<Record<Entry, (process: FakeProcess) => void>> = {
  main(process) {
    process.world.host.setExitCode(1);
    run(process, mainStep);
  },
  // Most post steps have nothing to do, and load no other code.
  post(process) {
    if (!isIdle(process.world.env)) run(process, postStep, 0);
  },
  cancel(process) {
    process.world.host.setExitCode(1);
    run(process, cancelStep);
  },
};
