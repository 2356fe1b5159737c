import { setMaxListeners } from 'node:events';
import type { Clock } from '../base/clock.ts';
import type { Interruption } from '../run/stop.ts';

/** The signals by which runners and systems end a step: SIGBREAK is Windows', SIGHUP a terminal that goes away. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] as const;

/** What can interrupt this process. */
export interface Interrupters {
  onSignal(name: (typeof SIGNALS)[number], listener: () => void): void;
  /** Nobody reads stdout any more: the runner has died, or has given the step up. */
  onStdoutGone(listener: () => void): void;
}

/** Listens from now on. The first interruption counts; all later ones are heard, and change nothing. */
export function listenForInterruption(interrupters: Interrupters, clock: Clock): Interruption {
  const controller = new AbortController();
  // Hundreds of runs listen: ten, as Node has it, would be a leak elsewhere, and it would warn of one.
  setMaxListeners(0, controller.signal);
  let first: Interruption['first'];
  const interrupt = (by: string): void => {
    if (first !== undefined) return;
    first = { by, at: clock.now() };
    controller.abort();
  };
  for (const name of SIGNALS) interrupters.onSignal(name, () => interrupt(name));
  interrupters.onStdoutGone(() => interrupt('a closed stdout'));
  return {
    signal: controller.signal,
    get first() {
      return first;
    },
  };
}

/** Those of this very process. */
export const processInterrupters: Interrupters = {
  onSignal(name, listener) {
    // Before listeners of other code, which may throw and so keep the later ones from being called.
    process.prependListener(name, listener);
  },
  onStdoutGone(listener) {
    process.stdout.on('error', listener);
    // Nothing of ours writes there, and nobody can be told when it fails.
    process.stderr.on('error', () => undefined);
  },
};
