// Checks whether another process is alive, by its id and the start time that /proc or ps shows.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ownStart, systemProcesses } from '../../../../src/action/runner/processes.ts';

/** An id that no process has, because it exceeds the maximum on every system. */
const OTHER = 2 ** 22 + 7;
const STARTED = Date.UTC(2026, 0, 5, 12);
/** The text that /proc shows for that process, or undefined if /proc shows nothing. */
const proc = vi.hoisted((): { stat: string | undefined } => ({ stat: undefined }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const readFileSync = (...args: Parameters<typeof fs.readFileSync>) =>
    args[0] === `/proc/${2 ** 22 + 7}/stat` && proc.stat !== undefined ? proc.stat : fs.readFileSync(...args);
  return { ...fs, readFileSync };
});

afterEach(() => {
  proc.stat = undefined;
});

/** Returns a line of /proc/<pid>/stat for a process with this name and state that started at 4711 ticks. */
function stat(name: string, state: string): string {
  return `${OTHER} (${name}) ${state} ${Array.from({ length: 18 }, (_, index) => index).join(' ')} 4711 0 0`;
}

function killing(code?: string) {
  return vi.spyOn(process, 'kill').mockImplementation(() => {
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    return true;
  });
}

function printing(text: string): void {
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ execFileSync: () => text });
}

describe('a process', () => {
  it.runIf(process.platform === 'linux')('has a start time in ticks on Linux', () => {
    expect(ownStart()).toMatch(/^ticks:\d+\/pid:\[\d+\]$/);
  });

  const ownStarts = [ownStart(), `ms:${Math.round(performance.timeOrigin)}`];

  it.each(ownStarts)('counts as alive if it is the current process, which started at %s', (startedAt) => {
    expect(systemProcesses.stateOf(process.pid, startedAt)).toBe('alive');
  });

  it.each(['ticks:4711', 'ms:0'])('counts as dead if its id does not exist and it started at %s', (startedAt) => {
    expect(systemProcesses.stateOf(OTHER, startedAt)).toBe('dead');
  });

  it.runIf(process.platform === 'linux').each([
    ['alive', 'has the recorded start time', stat('node', 'S'), 'ticks:4711'],
    ['alive', 'has an unusual name', stat('a) Z (b', 'R'), 'ticks:4711'],
    ['dead', 'started at another time', stat('node', 'S'), 'ticks:4710'],
    ['dead', 'is a zombie', stat('node', 'Z'), 'ticks:4711'],
    ['dead', 'has just ended', stat('node', 'X'), 'ticks:4711'],
    ['unknown', 'is hidden', undefined, 'ticks:4711'],
    ['unknown', 'is in another PID namespace', stat('node', 'S'), 'ticks:4711/pid:[0]'],
  ])('counts as %s if it %s on Linux', (state, _, text, startedAt) => {
    killing();
    proc.stat = text;
    expect(systemProcesses.stateOf(OTHER, startedAt)).toBe(state);
  });

  it.each([
    ['alive', 'the recorded start time', 'Mon Jan  5 12:00:00 2026 UTC\n', `ms:${STARTED}`],
    ['alive', 'a start time 3 s after the recorded one', 'Mon Jan  5 12:00:03 2026 UTC', `ms:${STARTED}`],
    ['dead', 'a start time 4 s before the recorded one', '2026-01-05T11:59:56.0000000Z\r\n', `ms:${STARTED}`],
    ['unknown', 'no start time', '\n', `ms:${STARTED}`],
    ['unknown', 'a start time, but the recorded one is invalid', 'Mon Jan  5 12:00:00 2026 UTC', `ms:${STARTED}x`],
  ])('counts as %s if ps or PowerShell shows %s', (state, _, text, startedAt) => {
    killing();
    printing(text);
    expect(systemProcesses.stateOf(OTHER, startedAt)).toBe(state);
  });

  it('counts as alive if it belongs to another user', () => {
    killing('EPERM');
    printing('Mon Jan  5 12:00:00 2026 UTC');
    expect(systemProcesses.stateOf(OTHER, `ms:${STARTED}`)).toBe('alive');
  });

  it('causes no error if it has ended before it is sent a signal', () => {
    const kill = killing('ESRCH');
    expect(() => systemProcesses.signal(OTHER, 'SIGTERM')).not.toThrow();
    expect(kill).toHaveBeenCalledWith(OTHER, 'SIGTERM');
  });
});
