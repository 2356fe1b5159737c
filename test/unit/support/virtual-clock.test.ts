// Tests the virtual clock, on which all tests of time depend.
import { describe, expect, it } from 'vitest';
import { pause } from '../../../src/base/clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

describe('the virtual clock', () => {
  it('advances time until a promise settles', async () => {
    const clock = new VirtualClock();
    await expect(clock.until(pause(clock, 90_000).then(() => 'done'))).resolves.toBe('done');
    expect(clock.now()).toBe(90_000);
  });

  it('throws if a promise never settles', async () => {
    await expect(new VirtualClock().until(new Promise(() => {}))).rejects.toThrow('no timer is set');
  });

  it('throws if a promise settles too late', async () => {
    const clock = new VirtualClock();
    await expect(clock.until(pause(clock, 500), 400)).rejects.toThrow('400 ms have passed');
  });
});
