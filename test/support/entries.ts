/*
 * What a fake process executes. It does what src/main.ts, src/post.ts and src/cancel.ts do before they load the bundle,
 * because those files use the real process; test/e2e runs them.
 */
import { isIdle } from '../../src/early.ts';
import { type Entry, run } from '../../src/index.ts';
import type { FakeProcess } from './process.ts';

/** Executes an entry of the action in a process. */
export function execute(entry: Entry, process: FakeProcess): void {
  const { world } = process;
  // Most post steps have nothing to do, and load no other code.
  if (entry === 'post' && isIdle(world.env)) return;
  if (entry !== 'post') world.host.setExitCode(1);
  // Like src/early.ts, reads the parent before anything else loads.
  const parent = world.host.parent();
  // The bundle loads in a turn of the event loop, during which a signal still kills the process.
  process.after(0, () => process.deliver('loads', () => run(entry, world, parent)));
}
