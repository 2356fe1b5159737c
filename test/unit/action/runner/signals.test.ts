import { describe, expect, it } from 'vitest';
import { type InterruptionSource, listenForInterruption } from '../../../../src/action/runner/signals.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

function bench(parents: { of: number } = { of: 900 }): {
  clock: VirtualClock;
  send: (what: string) => void;
  interrupters: InterruptionSource;
} {
  const clock = new VirtualClock();
  const listeners = new Map<string, () => void>();
  const interrupters: InterruptionSource = {
    onSignal: (name, listener) => listeners.set(name, listener),
    onStdoutGone: (listener) => listeners.set('stdout', listener),
    parentId: () => parents.of,
    later: (ms, task) => void clock.after(ms, task),
  };
  const send = (what: string): void => {
    const listener = listeners.get(what);
    if (listener === undefined) throw new Error(`Nobody listens for ${what}.`);
    listener();
  };
  return { clock, send, interrupters };
}

describe('an interruption', () => {
  it.each([
    ['SIGINT', 'SIGINT'],
    ['SIGTERM', 'SIGTERM'],
    ['SIGBREAK', 'SIGBREAK'],
    ['SIGHUP', 'SIGHUP'],
    ['stdout', 'stdout was closed'],
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

describe('a parent', () => {
  async function heardAt(changes: readonly (readonly [atMs: number, parent: number])[], first = 900) {
    const parents = { of: first };
    const { clock, interrupters } = bench(parents);
    const interruption = listenForInterruption(interrupters, clock);
    for (const [atMs, parent] of changes) {
      clock.after(atMs, () => {
        parents.of = parent;
      });
    }
    await clock.advance(120_000);
    return interruption.first;
  }

  it('that ends interrupts within six seconds', async () => {
    expect(await heardAt([[60_100, 1]])).toEqual({ by: 'its runner died', at: 66_000, isUnhurried: true });
  });

  it('that is adopted by another process than init counts as well', async () => {
    expect((await heardAt([[60_100, 77]]))?.at).toBe(66_000);
  });

  it.each([
    ['that stays', [], 900],
    ['that there is none of', [[60_100, 1]], 0],
    ['that was gone from the start', [[60_100, 5]], 1],
    ['that only started the step, and ends within ten seconds', [[9_000, 1]], 900],
    [
      'that only seems to change',
      [
        [60_000, 1],
        [60_500, 900],
      ],
      900,
    ],
  ] as const)('%s interrupts nothing', async (_, changes, first) => {
    expect(await heardAt(changes, first)).toBeUndefined();
  });

  it('looks for other causes every few seconds, and when it is told to', async () => {
    const { clock, interrupters } = bench();
    const interruption = listenForInterruption(interrupters, clock);
    const causes: string[] = [];
    interruption.lookFor(() => causes[0]);
    interruption.look();
    expect(interruption.first).toBeUndefined();
    await clock.advance(20_000);
    causes.push('by its post step');
    await clock.advance(5_000);
    expect(interruption.first).toMatchObject({ by: 'by its post step' });
  });
});
