import { readFileSync } from 'node:fs';

/** Other processes of this machine. */
export interface Processes {
  /** Whether the process of this number that started then still runs. */
  isAlive(pid: number, startedAt: string): boolean;
  /** Sends a signal; a process that is gone does not matter. */
  signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void;
}

/** Two clocks tell one start this much apart at most, in milliseconds: whole seconds, and rounding on the way. */
const SAME_START_MS = 3_000;

/** When this process started: in ticks of the system where it counts them, else by the wall clock. */
export function ownStart(): string {
  return ticksOf('self') ?? `ms:${Math.round(performance.timeOrigin)}`;
}

export const systemProcesses: Processes = {
  isAlive(pid, startedAt) {
    try {
      process.kill(pid, 0);
    } catch (error) {
      if (!isForbidden(error)) return false;
    }
    const ticks = ticksOf(String(pid));
    if (startedAt.startsWith('ticks:')) return ticks === startedAt;
    const [, ms] = /^ms:(\d+)$/.exec(startedAt) ?? [];
    const began = startByTool(pid);
    return ms !== undefined && began !== undefined && Math.abs(began - Number(ms)) <= SAME_START_MS;
  },
  signal(pid, name) {
    try {
      process.kill(pid, name);
    } catch {
      // Gone in the meantime, or not ours to end; whoever asked looks again.
    }
  },
};

function isForbidden(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPERM';
}

/** The start of a process as Linux counts it; undefined elsewhere, and for one that has ended but was not reaped. */
function ticksOf(pid: string): string | undefined {
  try {
    // The name in parentheses may hold anything; the state is the first field behind it, the start the 20th.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\)\s*/s, '')
      .split(' ');
    const [state, start] = [fields[0], fields[19]];
    return state === 'Z' || state === 'X' || start === undefined ? undefined : `ticks:${start}`;
  } catch {
    return undefined;
  }
}

/** The start of a process in milliseconds since 1970, asked of the system's own tool. */
function startByTool(pid: number): number | undefined {
  const [tool, ...args] =
    process.platform === 'win32'
      ? [
          'powershell.exe',
          '-NoProfile',
          '-Command',
          `(Get-Process -Id ${pid}).StartTime.ToUniversalTime().ToString('o')`,
        ]
      : // Elsewhere than in C, the names of days and months are not those that JavaScript reads.
        ['env', 'LC_ALL=C', 'ps', '-o', 'lstart=', '-p', String(pid)];
  try {
    // Loaded here and not above: main starts no program, and pays for no module that does.
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    const said = execFileSync(tool, args, {
      encoding: 'utf8',
      timeout: 10_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ms = Date.parse(said.trim());
    return Number.isNaN(ms) ? undefined : ms;
  } catch {
    return undefined;
  }
}
