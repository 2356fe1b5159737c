// Pauses, which end on time or on a signal.
import { describe, expect, it } from 'vitest';
import { pause } from '../../../src/base/clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

describe('a pause', () => {
  it.each([
    ['when its time has passed', 500, undefined, 500],
    ['when a signal aborts it', 500, 200, 200],
    ['when a signal aborts it, even without a time limit', Infinity, 200, 200],
    ['immediately if the signal has already aborted', 500, 0, 0],
  ])('ends %s', async (_, ms, abortAt, endsAt) => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    if (abortAt === 0) controller.abort();
    else if (abortAt !== undefined) clock.after(abortAt, () => controller.abort());
    const patient = {
      now: () => clock.now(),
      wall: () => clock.wall(),
      after: (in_: number, task: () => void) => (in_ === Infinity ? () => undefined : clock.after(in_, task)),
    };
    await clock.until(pause(patient, ms, controller.signal, new AbortController().signal));
    expect([clock.now(), clock.pending]).toEqual([endsAt, 0]);
  });
});
