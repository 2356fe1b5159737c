import { describe, expect, it } from 'vitest';
import { Gate } from '../../../src/run/guards.ts';
import { drain } from '../../support/virtual-clock.ts';

describe('a gate', () => {
  it('lets so many through, and the next one when a place is given back, first come, first served', async () => {
    const gate = new Gate(2);
    const inside: number[] = [];
    const enter = async (nth: number): Promise<() => void> => {
      const leave = await gate.enter();
      inside.push(nth);
      return leave;
    };
    const entered = [1, 2, 3, 4].map(enter);
    await drain();
    expect(inside).toEqual([1, 2]);
    (await entered[1])?.();
    await drain();
    expect(inside).toEqual([1, 2, 3]);
    (await entered[0])?.();
    (await entered[2])?.();
    await drain();
    expect(inside).toEqual([1, 2, 3, 4]);
  });

  it('without a bound lets everybody through', async () => {
    const gate = new Gate(Infinity);
    const entered = await Promise.all(Array.from({ length: 1_000 }, () => gate.enter()));
    expect(entered).toHaveLength(1_000);
  });
});
