import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/clock.ts';
import type { Interruption } from '../../run/interruption.ts';

/** Signals that runners and operating systems send to end a step. Windows sends SIGBREAK, a closed terminal SIGHUP. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] as const;

/** The events that can interrupt a process. */
export interface InterruptionSource {
  onSignal(name: (typeof SIGNALS)[number], listener: () => void): void;
  /** Calls `listener` when stdout loses its reader because the runner crashed or abandoned the step. */
  onStdoutGone(listener: () => void): void;
  /** Returns the id of the process that started this one, or of its successor (usually 1) if that process has ended. */
  parentId(): number;
  /** Calls `task` once after `ms` milliseconds without keeping the process alive. */
  later(ms: number, task: () => void): void;
}

/** Delay in ms before main chooses the parent to watch, because a wrapper (a shell, npx) may start Node and exit. */
const WATCH_PARENT_AFTER_MS = 10_000;
/** Interval between checks of the parent, and the delay before main confirms a change, in milliseconds. */
const LOOK_EVERY_MS = 5_000;
const LOOK_AGAIN_AFTER_MS = 1_000;

/** An interruption that this process watches for. */
export interface Watched extends Interruption {
  /** Adds a check to `look`. `cause` returns the reason for an interruption, or undefined. */
  lookFor(cause: () => string | undefined): void;
}

/** Records the first interruption from now on and ignores later ones, so signals no longer kill the process. */
export function listenForInterruption(source: InterruptionSource, clock: Clock): Watched {
  const controller = new AbortController();
  // Each run adds a listener, and Node warns about a leak from the eleventh listener on.
  setMaxListeners(0, controller.signal);
  let first: Interruption['first'];
  const interrupt = (by: string, isUnhurried = false): void => {
    if (first !== undefined) return;
    first = { by, at: clock.now(), ...(isUnhurried && { isUnhurried }) };
    controller.abort();
  };
  for (const name of SIGNALS) source.onSignal(name, () => interrupt(name));
  source.onStdoutGone(() => interrupt('stdout was closed'));
  /** The id of the watched parent: 0 before one is chosen and in a container, 1 for an orphan. Constant on Windows. */
  let parent = 0;
  let goneSince = Infinity;
  // If the parent ends, the runner has died. Main then receives no signal, and its stdout has no reader.
  const lookAtParent = (): void => {
    if (parent <= 1 || source.parentId() === parent) {
      goneSince = Infinity;
    } else if (goneSince === Infinity) {
      goneSince = clock.now();
      source.later(LOOK_AGAIN_AFTER_MS, lookAtParent);
    } else if (clock.now() - goneSince >= LOOK_AGAIN_AFTER_MS) {
      interrupt('its runner died', true);
    }
  };
  const causes: (() => string | undefined)[] = [];
  const look = (): void => {
    lookAtParent();
    for (const cause of first === undefined ? causes : []) {
      const by = cause();
      if (by !== undefined) interrupt(by);
    }
  };
  const lookRegularly = (): void => {
    look();
    source.later(LOOK_EVERY_MS, lookRegularly);
  };
  source.later(WATCH_PARENT_AFTER_MS, () => {
    parent = source.parentId();
    lookRegularly();
  });
  return {
    signal: controller.signal,
    get first() {
      return first;
    },
    lookFor: (cause) => void causes.push(cause),
    look,
  };
}

/** The events of this process. */
export const processEvents: InterruptionSource = {
  // Prepend the listener, because a listener in other code might throw, and Node would then skip all later ones.
  onSignal: (name, listener) => void process.prependListener(name, listener),
  onStdoutGone(listener) {
    process.stdout.on('error', listener);
    // An error on stderr must not end the process, because the action never writes to it.
    process.stderr.on('error', () => undefined);
  },
  parentId: () => process.ppid,
  later: (ms, task) => void setTimeout(task, ms).unref(),
};
