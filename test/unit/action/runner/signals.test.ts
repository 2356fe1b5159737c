import { describe, expect, it } from 'vitest';
import { type InterruptionSource, listenForInterruption } from '../../../../src/action/runner/signals.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

function bench(): { clock: VirtualClock; send: (what: string) => void; interrupters: InterruptionSource } {
  const listeners = new Map<string, () => void>();
  const interrupters: InterruptionSource = {
    onSignal: (name, listener) => listeners.set(name, listener),
    onStdoutGone: (listener) => listeners.set('stdout', listener),
  };
  const send = (what: string): void => {
    const listener = listeners.get(what);
    if (listener === undefined) throw new Error(`Nobody listens for ${what}.`);
    listener();
  };
  return { clock: new VirtualClock(), send, interrupters };
}

describe('an interruption', () => {
  it.each([
    ['SIGINT', 'SIGINT'],
    ['SIGTERM', 'SIGTERM'],
    ['SIGBREAK', 'SIGBREAK'],
    ['SIGHUP', 'SIGHUP'],
    ['stdout', 'a closed stdout'],
  ])('is heard when it is %s', async (what, by) => {
    const { clock, send, interrupters } = bench();
    const interruption = listenForInterruption(interrupters, clock);
    await clock.advance(1_500);
    expect(interruption.first).toBeUndefined();
    expect(interruption.signal.aborted).toBe(false);
    send(what);
    expect(interruption.first).toEqual({ by, at: 1_500 });
    expect(interruption.signal.aborted).toBe(true);
  });

  it('counts once: what comes later changes nothing', async () => {
    const { clock, send, interrupters } = bench();
    const interruption = listenForInterruption(interrupters, clock);
    let heard = 0;
    interruption.signal.addEventListener('abort', () => {
      heard += 1;
    });
    send('SIGINT');
    await clock.advance(7_500);
    send('SIGTERM');
    send('SIGINT');
    send('stdout');
    expect(interruption.first).toEqual({ by: 'SIGINT', at: 0 });
    expect(heard).toBe(1);
  });

  it('can be told to whoever asks when it has come', () => {
    const { clock, send, interrupters } = bench();
    const interruption = listenForInterruption(interrupters, clock);
    let seen: unknown;
    interruption.signal.addEventListener('abort', () => {
      seen = interruption.first;
    });
    send('SIGTERM');
    expect(seen).toEqual({ by: 'SIGTERM', at: 0 });
  });
});
