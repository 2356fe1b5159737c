// Tests the virtual clock, on which all tests of time depend.
import { describe, expect, it } from 'vitest';
import { pause } from '../../../src/base/clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

describe('the virtual clock', () => {
  it('settles promises between two timers', async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    const loop = async (): Promise<void> => {
      while (seen.length < 5) {
        await pause(clock, 10);
        for (let hops = 0; hops < 100; hops += 1) await Promise.resolve();
        seen.push(clock.now());
      }
    };
    const looping = loop();
    await clock.advance(50);
    await looping;
    expect(seen).toEqual([10, 20, 30, 40, 50]);
  });

  it('advances time until a promise settles, and throws if it never does', async () => {
    const clock = new VirtualClock();
    await expect(clock.until(pause(clock, 90_000).then(() => 'done'))).resolves.toBe('done');
    expect(clock.now()).toBe(90_000);
    await expect(clock.until(new Promise(() => {}))).rejects.toThrow('no timer is set');
    await expect(clock.until(pause(clock, 500), 400)).rejects.toThrow('400 ms have passed');
  });
});
