// Long lists, which must not keep the event loop busy.
import { expect, it } from 'vitest';
import { inSlices } from '../../../src/base/slices.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

it('a long list pauses after every 10 ms of work, so that timers and signals have their turn', async () => {
  const clock = new VirtualClock();
  const order: unknown[] = [];
  const work = async (): Promise<void> => {
    for await (const item of inSlices([1, 2, 3, 4, 5], clock)) {
      order.push(item);
      // Each item takes 5 ms.
      clock.sleep(5);
      clock.after(0, () => order.push('timer'));
    }
  };
  const done = work();
  await clock.advance(0);
  await clock.until(done);
  expect(order).toEqual([1, 2, 'timer', 'timer', 3, 4, 'timer', 'timer', 5]);
});
