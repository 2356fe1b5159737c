import { readFileSync, readlinkSync } from 'node:fs';
import { orElse } from './files.ts';

/** Whether a process is alive. `unknown`: the system does not say. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/** The other processes of this machine. */
export interface Processes {
  /** The state of the process with this id that started then: the id may belong to a newer process. */
  stateOf(pid: number, startedAt: string): Liveness;
  /** Sends a signal. Does nothing if the process is gone. */
  signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void;
}

/** In milliseconds. `ps` reports whole seconds, and both clocks round. */
const START_TOLERANCE_MS = 3_000;

/** When this process started: on Linux `ticks:<n>` since boot and the PID namespace, otherwise `ms:<n>` since 1970. */
export function ownStart(): string {
  const ticks = startTicks('self');
  return ticks === undefined ? `ms:${Math.round(performance.timeOrigin)}` : `${ticks}/${pidNamespace()}`;
}

/** Process ids mean nothing in another namespace. Empty on systems that do not show it. */
const pidNamespace = (): string => orElse('', () => readlinkSync('/proc/self/ns/pid'));

/** The processes as the system shows them. */
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
  // Callers check with stateOf whether the signal had an effect.
  signal: (pid, name) => void orElse(false, () => process.kill(pid, name)),
};

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The start of a process as Linux counts it; `ended` for one not yet awaited. Undefined if /proc does not show it. */
function startTicks(pid: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const stat = orElse('', () => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // proc(5): the name in parentheses may contain anything; the state follows it, and the start 19 fields later.
  const fields = stat.replace(/^.*\)\s*/s, '').split(' ');
  const [state, start] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X') return 'ended';
  return start === undefined ? undefined : `ticks:${start}`;
}

/** The start of a process in milliseconds since 1970, from PowerShell or ps; NaN if they do not show it. */
function startAsPrinted(pid: number): number {
  const powershell = `(Get-Process -Id ${pid}).StartTime.ToUniversalTime().ToString('o')`;
  const [tool, ...args] =
    process.platform === 'win32'
      ? ['powershell.exe', '-NoProfile', '-Command', powershell]
      : // Date.parse only understands the names of days and months of the C locale.
        ['env', 'LC_ALL=C', 'ps', '-o', 'lstart=', '-p', String(pid)];
  return orElse(Number.NaN, () => {
    // Loaded here, because the main step never needs it. Node 21 to 22.2 cannot do that: then the start is unknown.
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    return Date.parse(execFileSync(tool, args, { encoding: 'utf8', timeout: 10_000, stdio }).trim());
  });
}
