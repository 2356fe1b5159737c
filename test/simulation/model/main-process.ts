import { runMain } from '../../../src/action/runner/process.ts';
import { prepareMain } from '../../../src/action/steps/main-step.ts';
import type { Started } from './machine.ts';
import { partsFor, type Surroundings } from './process-parts.ts';

/** Begins main as its entry does, over simulated parts. */
export function beginMain(started: Started, surroundings: Surroundings, env: Readonly<Record<string, string>>): void {
  const { process, stdout, host } = started;
  const { pid, startedAt } = process;
  const parts = { ...partsFor(started, surroundings), control: process.host };
  const step = prepareMain({ ...parts, env, pid, startedAt, host });
  process.begun = true;
  runMain(step, stdout.toolkit.debug, parts);
}
