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

it('a timer fires once after its delay, unless it is stopped, and never before a delay of more than 24 days', () => {
  const fired: string[] = [];
  const note = (ms: number) => systemClock.after(ms, () => fired.push(`${ms}`));
  note(100);
  note(2 ** 31);
  note(200)();
  vi.advanceTimersByTime(99);
  expect(fired).toEqual([]);
  vi.advanceTimersByTime(86_400_000);
  expect(fired).toEqual(['100']);
});
