import { describe, expect, it } from 'vitest';
import { ownStart, systemProcesses } from '../../../../src/action/runner/processes.ts';

/** An id that no process has: greater than the largest of every system. */
const NOBODY = 2 ** 22 + 7;

describe('a process', () => {
  it('that started when it should have is alive', () => {
    expect(systemProcesses.stateOf(process.pid, ownStart())).toBe('alive');
  });

  it.runIf(process.platform === 'linux')('that started at another time is another one', () => {
    const ticks = Number(/^ticks:(\d+)$/.exec(ownStart())?.[1]);
    expect(systemProcesses.stateOf(process.pid, `ticks:${ticks - 1}`)).toBe('dead');
  });

  it('is told by the wall clock where there are no ticks', () => {
    const started = Math.round(performance.timeOrigin);
    expect(systemProcesses.stateOf(process.pid, `ms:${started}`)).toBe('alive');
    expect(systemProcesses.stateOf(process.pid, `ms:${started - 60_000}`)).toBe('dead');
  });

  it('that does not exist is dead', () => {
    expect(systemProcesses.stateOf(NOBODY, ownStart())).toBe('dead');
    expect(systemProcesses.stateOf(NOBODY, 'ms:0')).toBe('dead');
  });

  it('of which no time is known is neither', () => {
    expect(systemProcesses.stateOf(process.pid, 'ms:never')).toBe('unknown');
  });

  it('can be signalled although it is gone', () => {
    expect(() => systemProcesses.signal(NOBODY, 'SIGTERM')).not.toThrow();
  });
});
