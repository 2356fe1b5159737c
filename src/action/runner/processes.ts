import { readFileSync, readlinkSync } from 'node:fs';
import { orElse } from './files.ts';

/** Whether a process is alive, or `unknown` if the system does not report that. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/** The other processes of this machine. */
export interface Processes {
  /** Returns the state of the process with this id and start time. Another process may have reused the id. */
  stateOf(pid: number, startedAt: string): Liveness;
  /** Sends a signal. Does nothing if the process no longer exists. */
  signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void;
}

/** Tolerance in milliseconds. `ps` reports whole seconds, and both times are rounded. */
const START_TOLERANCE_MS = 3_000;

/** Returns this process's start: on Linux `ticks:<n>` since boot and the namespace, elsewhere `ms:<n>` since 1970. */
export function ownStart(): string {
  const ticks = startTicks('self');
  return ticks === undefined ? `ms:${Math.round(performance.timeOrigin)}` : `${ticks}/${pidNamespace()}`;
}

/** Returns the PID namespace, outside of which a process id is meaningless, or '' if the system hides it. */
const pidNamespace = (): string => orElse('', () => readlinkSync('/proc/self/ns/pid'));

/** The processes that the system reports. */
export const systemProcesses: Processes = {
  stateOf(pid, startedAt) {
    const [started, namespace = ''] = startedAt.split('/');
    if (namespace !== '' && namespace !== pidNamespace()) return 'unknown';
    if (!exists(pid)) return 'dead';
    if (startedAt.startsWith('ticks:')) {
      const ticks = startTicks(String(pid));
      if (ticks === undefined) return exists(pid) ? 'unknown' : 'dead';
      return ticks === started ? 'alive' : 'dead';
    }
    const awayMs = Math.abs(startAsPrinted(pid) - Number(/^ms:(\d+)$/.exec(startedAt)?.[1]));
    if (Number.isNaN(awayMs)) return 'unknown';
    return awayMs <= START_TOLERANCE_MS ? 'alive' : 'dead';
  },
  // Callers use stateOf to check whether the signal took effect.
  signal: (pid, name) => void orElse(false, () => process.kill(pid, name)),
};

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Returns the start in Linux clock ticks, `ended` for a zombie, or undefined if /proc does not show the process. */
function startTicks(pid: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const stat = orElse('', () => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // proc(5): the state follows the name in parentheses, which may contain anything. The start is 19 fields later.
  const fields = stat.replace(/^.*\)\s*/s, '').split(' ');
  const [state, start] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X') return 'ended';
  return start === undefined ? undefined : `ticks:${start}`;
}

/** Returns the start of a process in milliseconds since 1970, from PowerShell or ps, or NaN if neither shows it. */
function startAsPrinted(pid: number): number {
  const powershell = `(Get-Process -Id ${pid}).StartTime.ToUniversalTime().ToString('o')`;
  const [tool, ...args] =
    process.platform === 'win32'
      ? ['powershell.exe', '-NoProfile', '-Command', powershell]
      : // Date.parse only understands day and month names in the C locale.
        ['env', 'LC_ALL=C', 'ps', '-o', 'lstart=', '-p', String(pid)];
  return orElse(Number.NaN, () => {
    // Load this on demand, as main never needs it. Node 21 to 22.2 lack getBuiltinModule, so the start stays unknown.
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    return Date.parse(execFileSync(tool, args, { encoding: 'utf8', timeout: 10_000, stdio }).trim());
  });
}
