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
}

/** Records the first interruption from now on. Later ones have no effect, but no longer end the process either. */
export function listenForInterruption(source: InterruptionSource, clock: Clock): Interruption {
  const controller = new AbortController();
  // Each of hundreds of runs adds a listener; Node warns about a leak from the eleventh on.
  setMaxListeners(0, controller.signal);
  let first: Interruption['first'];
  const interrupt = (by: string): void => {
    if (first !== undefined) return;
    first = { by, at: clock.now() };
    controller.abort();
  };
  for (const name of SIGNALS) source.onSignal(name, () => interrupt(name));
  source.onStdoutGone(() => interrupt('a closed stdout'));
  return {
    signal: controller.signal,
    get first() {
      return first;
    },
  };
}

/** The events of this process. */
export const processEvents: InterruptionSource = {
  onSignal(name, listener) {
    // First in line, because a listener of other code that throws would keep later ones from being called.
    process.prependListener(name, listener);
  },
  onStdoutGone(listener) {
    process.stdout.on('error', listener);
    // An error of stderr must not end the process. The action writes nothing there.
    process.stderr.on('error', () => undefined);
  },
};
