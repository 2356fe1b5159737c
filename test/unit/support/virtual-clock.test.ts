// Tests the virtual clock, on which all tests of time depend.
import { describe, expect, it } from 'vitest';
import { pause } from '../../../src/base/clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

describe('the virtual clock', () => {
  it('runs each timer at its due time, in order', async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    const set = (ms: number, name: string) => clock.after(ms, () => seen.push(`${name} at ${clock.now()}`));
    set(20, 'b');
    set(10, 'a');
    set(20, 'c');
    set(31, 'too late');
    await clock.advance(30);
    expect(seen).toEqual(['a at 10', 'b at 20', 'c at 20']);
    expect([clock.now(), clock.pending]).toEqual([30, 1]);
  });

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

  it('moves the wall clock without advancing timers', async () => {
    const clock = new VirtualClock('2026-03-01T00:00:00Z');
    clock.shiftWall(-60_000);
    await clock.advance(1_000);
    expect(new Date(clock.wall()).toISOString()).toBe('2026-02-28T23:59:01.000Z');
    expect(clock.now()).toBe(1_000);
  });

  it('advances time until a promise settles, and throws if it never does', async () => {
    const clock = new VirtualClock();
    await expect(clock.until(pause(clock, 90_000).then(() => 'done'))).resolves.toBe('done');
    expect(clock.now()).toBe(90_000);
    await expect(clock.until(new Promise(() => {}))).rejects.toThrow('no timer is set');
    await expect(clock.until(pause(clock, 500), 400)).rejects.toThrow('400 ms have passed');
  });
});
