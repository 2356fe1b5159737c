import type { Clock } from '../../../src/base/clock.ts';
import type { Loop } from './loop.ts';
import type { SimProcess } from './sim-process.ts';
import type { ClockSpec } from './spec.ts';

/** Wall-clock time at which every scenario begins: 2026-01-05T12:00:00Z. */
const EPOCH_MS = 1_767_614_400_000;

/**
 * The clock of a process: as wrong and as late as its scenario says. A timer keeps its process alive and reaches it as
 * an event; the one with the number `lostTimer` does neither.
 */
export function simClock(process: SimProcess, loop: Loop, spec: ClockSpec, lostTimer: number | null): Clock {
  let set = 0;
  return {
    now: () => process.nowMs + spec.zeroMs,
    wall: () =>
      EPOCH_MS +
      process.nowMs +
      spec.wallOffMs +
      spec.jumps.reduce((sum, [atMs, byMs]) => (atMs <= process.nowMs ? sum + byMs : sum), 0),
    after: (ms, task) => {
      set += 1;
      if (set === lostTimer || !process.alive) return () => undefined;
      process.holds += 1;
      const grain = ms >= 2 ? spec.timerLateMs : Math.max(0, spec.timerLateMs);
      let isSet = true;
      const fire = (): void => {
        if (!isSet) return;
        // A blocked process runs no timers, and may take one back that is due before it runs.
        if (process.isBusy) {
          timer = loop.at(process.nowMs, fire);
          return;
        }
        isSet = false;
        process.holds -= 1;
        process.deliver('timer', '', task);
      };
      let timer = loop.at(process.nowMs + Math.max(0, ms) + grain, fire);
      return () => {
        if (isSet) process.holds -= 1;
        isSet = false;
        timer.task = undefined;
      };
    },
  };
}
