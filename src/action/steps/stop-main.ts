import { type Clock, pause } from '../../base/clock.ts';
import { hurriedSince, type Interruption } from '../../run/interruption.ts';
import type { Liveness, Processes } from '../runner/processes.ts';
import type { RecoveredStep } from '../state/recover.ts';
import type { PostReport } from './post-report.ts';

/** A main that is told to stop settles its runs and ends within 9.3 s. */
const MAIN_ENDS_WITHIN_MS = 10_000;
/** When post itself is in a hurry, main gets this much of it, so that time is left for a cancel; and this at least. */
const HURRIED_MAIN_ENDS_WITHIN_MS = 3_000;
const KILL_TAKES_MS = 500;
const LOOK_EVERY_MS = 100;

/**
 * Ends a main process that is still alive, so that it triggers nothing after post has looked: by SIGTERM, then by SIGKILL.
 * Returns what it left, read again after its end.
 */
export async function stopMain(
  found: RecoveredStep,
  parts: { readonly clock: Clock; readonly processes: Processes; readonly interruption: Interruption },
  report: PostReport,
): Promise<RecoveredStep> {
  const { processes, clock, interruption } = parts;
  const { pid, startedAt } = found.main;
  const state = (): Liveness => processes.stateOf(pid, startedAt);
  const told = `The step's main process (${pid})`;
  /** Until when to wait for the end of main, since it was told to stop. */
  const patience = (since: number): number =>
    Math.min(since + MAIN_ENDS_WITHIN_MS, hurriedSince(interruption) + HURRIED_MAIN_ENDS_WITHIN_MS);
  // A record is read faster than some systems tell of a process.
  const isOver = (): boolean => found.again().left !== undefined || state() === 'dead';
  const first = state();
  if (first === 'dead') return found.again();
  // An unknown id may belong to another process by now, which must not be ended.
  const isAlive = first === 'alive';
  if (isAlive) report.line(`${told} is still running: it is told to stop, and to see to its runs.`);
  for (const name of isAlive ? (['SIGTERM', 'SIGKILL'] as const) : [undefined]) {
    if (name !== undefined) processes.signal(pid, name);
    const since = clock.now();
    const until = (): number => (isAlive ? Math.max(since + KILL_TAKES_MS, patience(since)) : patience(since));
    while (!isOver() && clock.now() < until()) await pause(clock, LOOK_EVERY_MS);
    if (isOver()) return found.again();
  }
  report.tell({
    level: 'warning',
    line: isAlive
      ? `${told} does not end, and may go on as before.`
      : `${told} may still be running: this system does not tell.`,
    advice: ['Look in the application for what it may still trigger.'],
  });
  return found.again();
}
