// The clock of the machine, with the timers of Vitest.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 5_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

it('the clock of the machine measures monotonic and wall-clock time', () => {
  const began = systemClock.now();
  vi.advanceTimersByTime(250);
  expect([systemClock.now() - began, systemClock.wall()]).toEqual([250, 5_250]);
});

it.each([
  ['fires once, after its delay', 100, false, 1],
  ['does not fire if it is stopped', 100, true, 0],
  ['does not fire early if its delay exceeds 24 days', 2 ** 31, false, 0],
])('a timer %s', (_, ms, isStopped, count) => {
  const task = vi.fn();
  const stop = systemClock.after(ms, task);
  if (isStopped) stop();
  vi.advanceTimersByTime(99);
  expect(task).not.toHaveBeenCalled();
  vi.advanceTimersByTime(86_400_000);
  expect(task).toHaveBeenCalledTimes(count);
});
