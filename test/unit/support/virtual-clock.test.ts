// Tests the virtual clock, on which all tests of time depend.
import { describe, expect, it } from 'vitest';
import { pause } from '../../../src/base/clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

describe('the virtual clock', () => {
  it('advances time until a promise settles, and throws if it never does', async () => {
    const clock = new VirtualClock();
    await expect(clock.until(pause(clock, 90_000).then(() => 'done'))).resolves.toBe('done');
    expect(clock.now()).toBe(90_000);
    await expect(clock.until(new Promise(() => {}))).rejects.toThrow('no timer is set');
    await expect(clock.until(pause(clock, 500), 400)).rejects.toThrow('400 ms have passed');
  });
});
