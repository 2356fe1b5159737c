// Pauses, which time or a signal ends.
import { describe, expect, it } from 'vitest';
import { pause } from '../../../src/base/clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

describe('a pause', () => {
  it.each([
    ['its time has passed', 500, undefined, 500],
    ['a signal aborts', 500, 200, 200],
    ['a signal aborts, if it has no other end', Infinity, 200, 200],
    ['it begins, if the signal has aborted before', 500, 0, 0],
  ])('ends when %s', async (_, ms, abortAt, endsAt) => {
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
