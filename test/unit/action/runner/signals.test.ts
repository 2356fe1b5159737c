// The causes that interrupt a step: a signal, a closed stdout, the death of its runner, and causes that it polls for.
import { describe, expect, it, vi } from 'vitest';
import { type InterruptionSource, listenForInterruption } from '../../../../src/action/runner/signals.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

/** Simulates a process whose parent changes at these times in ms, such as `0:900 60100:1`. `send` emits an event. */
function bench(parents = '0:900') {
  const changes = parents.split(' ').map((change) => change.split(':').map(Number));
  const clock = new VirtualClock();
  const listeners = new Map<string, () => void>();
  const source: InterruptionSource = {
    onSignal: (name, listener) => listeners.set(name, listener),
    onStdoutGone: (listener) => listeners.set('stdout', listener),
    parentId: () => changes.findLast(([atMs = 0]) => clock.now() >= atMs)?.[1] ?? 0,
    later: (ms, task) => void clock.after(ms, task),
  };
  const interruption = listenForInterruption(source, clock);
  return { clock, interruption, send: (event: string) => listeners.get(event)?.() };
}

describe('a step', () => {
  it.each([
    ['SIGINT', 'SIGINT'],
    ['SIGTERM', 'SIGTERM'],
    ['SIGBREAK', 'SIGBREAK'],
    ['SIGHUP', 'SIGHUP'],
    ['stdout', 'stdout was closed'],
  ])(
    'notifies 20 listeners of the first event (%s), without a warning, and ignores later events',
    async (event, by) => {
      const { clock, interruption, send } = bench();
      const seen: unknown[] = [];
      const warn = vi.spyOn(process, 'emitWarning');
      for (let i = 0; i < 20; i++) interruption.signal.addEventListener('abort', () => seen.push(interruption.first));
      await clock.advance(1_500);
      expect([interruption.first, interruption.signal.aborted]).toEqual([undefined, false]);
      send(event);
      await clock.advance(7_500);
      for (const later of ['SIGTERM', 'SIGINT', 'stdout']) send(later);
      expect(interruption.first).toEqual({ by, at: 1_500 });
      expect(seen).toEqual(Array(20).fill({ by, at: 1_500 }));
      expect(warn).not.toHaveBeenCalled();
    },
  );

  it('stops within five seconds of a cause that it polls for', async () => {
    const { clock, interruption } = bench();
    const causes: string[] = [];
    interruption.lookFor(() => causes[0]);
    await clock.advance(20_000);
    interruption.look();
    expect(interruption.first).toBeUndefined();
    causes.push('by its post step');
    await clock.advance(4_999);
    expect(interruption.first).toBeUndefined();
    await clock.advance(1);
    expect(interruption.first).toMatchObject({ by: 'by its post step', at: 25_000 });
  });

  it.each([
    ['init', '0:900 60100:1'],
    ['a process other than init', '0:900 60100:77'],
  ])('stops within six seconds if its runner dies and %s adopts it', async (_, parents) => {
    const { clock, interruption } = bench(parents);
    await clock.advance(120_000);
    expect(interruption.first).toEqual({ by: 'its runner died', at: 66_000, isUnhurried: true });
  });

  it.each([
    ['its parent stays the same', '0:900'],
    ['it has no parent', '0:0 60100:1'],
    ['its parent had already died at the start', '0:1 60100:5'],
    ['a wrapper that started it ends within ten seconds', '0:900 9000:1'],
    ['its parent twice appears to change', '0:900 60000:1 60500:900 90000:1 90500:900'],
  ])('continues if %s', async (_, parents) => {
    const { clock, interruption } = bench(parents);
    await clock.advance(60_200);
    interruption.look();
    await clock.advance(60_000);
    expect(interruption.first).toBeUndefined();
  });
});
