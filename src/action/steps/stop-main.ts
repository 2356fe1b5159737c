import { pause } from '../../base/clock.ts';
import { hurriedSince } from '../../run/interruption.ts';
import type { Processes } from '../runner/processes.ts';
import type { RecoveredStep } from '../state/recover.ts';
import type { Machine } from './machine.ts';
import type { PostReport } from './post-report.ts';

/** An interrupted main settles its runs and ends within 9.3 s. */
const MAIN_ENDS_WITHIN_MS = 10_000;
/** How long main may take if post itself is in a hurry, so that time is left for a cancel. */
const HURRIED_MAIN_ENDS_WITHIN_MS = 3_000;
const KILL_TAKES_MS = 500;
const LOOK_EVERY_MS = 100;

/**
 * Ends a main process that is still alive, so that it triggers nothing after post has looked: by SIGTERM, then by SIGKILL.
 * Returns what it left, read again after its end.
 */
export async function stopMain(
  found: RecoveredStep,
  { clock, processes, interruption }: Pick<Machine, 'clock' | 'interruption'> & { readonly processes: Processes },
  report: PostReport,
): Promise<RecoveredStep> {
  const { pid, startedAt } = found.main;
  const first = processes.stateOf(pid, startedAt);
  if (first === 'dead') return found.again();
  // The records are looked at first, because they are read faster than the state of a process on some systems.
  const isOver = (): boolean => found.again().left !== undefined || processes.stateOf(pid, startedAt) === 'dead';
  const subject = `The step's main process (${pid})`;
  // An unknown process may be another one with the same id, which must not be ended.
  const isAlive = first === 'alive';
  if (isAlive) report.line(`${subject} is still running. The post step signals it to stop and to handle its runs.`);
  for (const signal of isAlive ? (['SIGTERM', 'SIGKILL'] as const) : [undefined]) {
    if (signal !== undefined) processes.signal(pid, signal);
    const since = clock.now();
    const leastMs = isAlive ? KILL_TAKES_MS : 0;
    const until = (): number => {
      const patience = Math.min(since + MAIN_ENDS_WITHIN_MS, hurriedSince(interruption) + HURRIED_MAIN_ENDS_WITHIN_MS);
      return Math.max(since + leastMs, patience);
    };
    while (!isOver() && clock.now() < until()) await pause(clock, LOOK_EVERY_MS);
    if (isOver()) return found.again();
  }
  report.tell({
    level: 'warning',
    line: isAlive
      ? `${subject} has not ended, and may continue.`
      : `${subject} may still be running; the post step could not check.`,
    advice: ['Check the application for runs that it may still trigger.'],
  });
  return found.again();
}
