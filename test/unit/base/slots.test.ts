// Slots, which limit how many tasks run at the same time.
import { describe, expect, it } from 'vitest';
import { Slots } from '../../../src/base/slots.ts';
import { drain } from '../../support/virtual-clock.ts';

describe('slots', () => {
  it('admit as many tasks as there are slots, then the other tasks in order', async () => {
    const slots = new Slots(2);
    const entered: number[] = [];
    for (const number of [1, 2, 3, 4]) void slots.take().then(() => entered.push(number));
    await drain();
    expect(entered).toEqual([1, 2]);
    slots.release();
    await drain();
    slots.release();
    await drain();
    expect(entered).toEqual([1, 2, 3, 4]);
  });

  it('are free for later tasks once they are released', async () => {
    const slots = new Slots(1);
    await slots.take();
    slots.release();
    await expect(slots.take()).resolves.toBeUndefined();
  });
});
