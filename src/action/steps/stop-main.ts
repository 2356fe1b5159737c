import { pause } from '../../base/clock.ts';
import { hurriedSince } from '../../run/interruption.ts';
import type { Processes } from '../runner/processes.ts';
import type { RecoveredStep } from '../state/recover.ts';
import type { Machine } from './machine.ts';
import type { PostReport } from './post-report.ts';

/** Time limit for main to end. After an interruption, main settles its runs and ends within 9.3 s. */
const MAIN_ENDS_WITHIN_MS = 10_000;
/** Time limit for main if post itself has little time, so that post has time left to cancel runs. */
const HURRIED_MAIN_ENDS_WITHIN_MS = 3_000;
const KILL_TAKES_MS = 500;
const LOOK_EVERY_MS = 100;

/**
 * Ends a live main process, first with SIGTERM and then with SIGKILL, so that main triggers no run after post has read
 * the records. Returns the step, with its records read again after the process has ended.
 */
export async function stopMain(
  found: RecoveredStep,
  { clock, processes, interruption }: Pick<Machine, 'clock' | 'interruption'> & { readonly processes: Processes },
  report: PostReport,
): Promise<RecoveredStep> {
  const { pid, startedAt } = found.main;
  const first = processes.stateOf(pid, startedAt);
  if (first === 'dead') return found.again();
  // Check the records first, because on some systems they are faster to read than the state of a process.
  const isOver = (): boolean => found.again().left !== undefined || processes.stateOf(pid, startedAt) === 'dead';
  const subject = `The step's main process (PID ${pid})`;
  // If the state is unknown, the id may now belong to another process, which post must not end.
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
      ? `${subject} has not exited and may continue to run.`
      : `The post step could not check whether the step's main process (PID ${pid}) is still running.`,
    advice: ['Check the application for runs that this process may still trigger.'],
  });
  return found.again();
}
