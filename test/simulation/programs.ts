/* What the processes of a scenario execute: the entries of the action, with a simulated world instead of the real one. */

import { mainStep } from '../../src/action/main-step.ts';
import { postStep } from '../../src/action/post-step.ts';
import { runProcess } from '../../src/action/process.ts';
import { listenForInterruption } from '../../src/action/signals.ts';
import { isIdle } from '../../src/early.ts';
import type { World } from '../../src/world.ts';

export function main(world: World): void {
  const interruption = listenForInterruption(world);
  runProcess(world, mainStep(world, interruption), interruption, 1);
}

/** Most post steps have nothing to do, and load no other code. */
export function post(world: World): void {
  if (isIdle(world.env)) return;
  const interruption = listenForInterruption(world);
  runProcess(world, postStep(world, interruption), interruption, 0);
}
