// An interruption that starts when a test sends a signal.
import { listenForInterruption, type Watched } from '../../src/action/runner/signals.ts';
import { VirtualClock } from './virtual-clock.ts';

export function interruptible(clock = new VirtualClock()): {
  readonly interruption: Watched;
  readonly interrupt: (signal?: string) => void;
} {
  const listeners = new Map<string, () => void>();
  const source = {
    onSignal: (name: string, listener: () => void) => void listeners.set(name, listener),
    onStdoutGone: () => undefined,
    parentId: () => 0,
    later: () => undefined,
  };
  const interruption = listenForInterruption(source, clock);
  return { interruption, interrupt: (signal = 'SIGINT') => listeners.get(signal)?.() };
}
