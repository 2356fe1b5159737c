import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/clock.ts';
import type { Interruption } from '../../run/interruption.ts';

/** The signals with which runners and systems end a step. Windows sends SIGBREAK; a closed terminal sends SIGHUP. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] as const;

/** The events that can interrupt a process. */
export interface InterruptionSource {
  onSignal(name: (typeof SIGNALS)[number], listener: () => void): void;
  /** The reader of stdout has gone: the runner has crashed or has abandoned the step. */
  onStdoutGone(listener: () => void): void;
  /** The id of the process that started this one, or of the one that adopted it: then 1 as a rule. */
  parentId(): number;
  /** Calls `task` once after so many milliseconds, without keeping the process alive until then. */
  later(ms: number, task: () => void): void;
}

/** In milliseconds. A wrapper (a shell, npx) may start Node and end, so the parent that counts is the one after this. */
const WATCH_PARENT_AFTER_MS = 10_000;
/** How often the parent is looked at, and how soon again after it has changed, in milliseconds. */
const LOOK_EVERY_MS = 5_000;
const LOOK_AGAIN_AFTER_MS = 1_000;

/** An interruption that this process watches for. */
export interface Watched extends Interruption {
  /** Adds a check to `look`: a function that names what interrupts the step, if anything does. */
  lookFor(cause: () => string | undefined): void;
}

/** Records the first interruption from now on. Later ones have no effect, but no longer end the process either. */
export function listenForInterruption(source: InterruptionSource, clock: Clock): Watched {
  const controller = new AbortController();
  // Each of hundreds of runs adds a listener; Node warns about a leak from the eleventh on.
  setMaxListeners(0, controller.signal);
  let first: Interruption['first'];
  const interrupt = (by: string, isUnhurried = false): void => {
    if (first !== undefined) return;
    first = { by, at: clock.now(), ...(isUnhurried && { isUnhurried }) };
    controller.abort();
  };
  for (const name of SIGNALS) source.onSignal(name, () => interrupt(name));
  source.onStdoutGone(() => interrupt('stdout was closed'));
  /** 0 until the parent that counts is known, and in a container; 1 for an orphan. Never changes on Windows. */
  let parent = 0;
  let goneSince = Infinity;
  // When the parent ends, the runner has died: main gets no signal then, and its stdout has no reader.
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
  // First in line, because a listener of other code that throws would keep later ones from being called.
  onSignal: (name, listener) => void process.prependListener(name, listener),
  onStdoutGone(listener) {
    process.stdout.on('error', listener);
    // An error of stderr must not end the process. The action writes nothing there.
    process.stderr.on('error', () => undefined);
  },
  parentId: () => process.ppid,
  later: (ms, task) => void setTimeout(task, ms).unref(),
};
