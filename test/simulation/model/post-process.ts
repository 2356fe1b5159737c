import { runPost } from '../../../src/action/runner/process.ts';
import type { Processes } from '../../../src/action/runner/processes.ts';
import { isAllSettled } from '../../../src/action/state/all-settled.ts';
import { performPost } from '../../../src/action/steps/post-step.ts';
import type { Started } from './machine.ts';
import { partsFor, type Surroundings } from './process-parts.ts';

/** Begins post as its entry does, over simulated parts: with nothing to do it ends at once. */
export function beginPost(
  started: Started,
  surroundings: Surroundings,
  processes: Processes,
  env: Readonly<Record<string, string>>,
): void {
  const { process, stdout, host } = started;
  if (!process.alive) return;
  process.begun = true;
  if (isAllSettled(env)) {
    process.finish({ how: 'exited', code: 0 });
    return;
  }
  const parts = { ...partsFor(started, surroundings), control: process.host, env, host, processes };
  runPost(
    () => performPost(parts),
    { warn: (why) => stdout.toolkit.annotate('warning', 'run-pipeline', why), onStray: (why) => stdout.print(why) },
    parts,
  );
}
