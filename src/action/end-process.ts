import type { Clock } from '../base/clock.ts';
import type { Interruption } from '../run/stop.ts';
import type { Host } from './process.ts';

/** How long a slow reader has to take the rest of the log, in milliseconds. */
const FLUSH_MS = 5_000;

/** The same after an interruption: the last message may be printed at 9.3 s, and runners kill after 10 s. */
const INTERRUPTED_FLUSH_MS = 250;

const POLL_MS = 25;

export interface EndParts {
  readonly host: Host;
  readonly clock: Clock;
  readonly interruption: Interruption;
}

/**
 * Ends the process with its verdict, once stdout has taken the rest of the log or the time for that is up. An
 * interruption shortens that time and changes nothing else.
 *
 * Node joins its thread pool when it exits, so a name lookup that hangs delays the exit by up to 20 s. A failing process
 * therefore waits for the pool here, and kills itself if its time is up. A successful one has to let Node wait.
 */
export function endProcess(code: number, { host, clock, interruption }: EndParts): void {
  const since = clock.now();
  let isFlushed = false;
  let isOver = false;
  const isLate = (): boolean => {
    const interruptedAt = interruption.first?.at ?? Infinity;
    const until = Math.min(since + FLUSH_MS, Math.max(since, interruptedAt) + INTERRUPTED_FLUSH_MS);
    return clock.now() >= until;
  };
  const tryEnd = (): void => {
    if (isOver) return;
    const isHeldUp = code !== 0 && host.hasPendingWork();
    if (!isLate() && (!isFlushed || isHeldUp)) return;
    isOver = true;
    if (isHeldUp) host.kill();
    else if (code === 0) host.exit();
    // `exit` listeners of other code might never return, or throw and so keep the verdict from being applied.
    else host.exitNow();
  };
  const poll = (): void => {
    tryEnd();
    if (!isOver) clock.after(POLL_MS, poll);
  };
  host.verdict(code);
  host.flushed(() => {
    isFlushed = true;
    tryEnd();
  });
  poll();
}
