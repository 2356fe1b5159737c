import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contender, Task } from './contenders.ts';

/** A running contender, with its start time according to `performance.now()`. */
export interface ContenderProcess {
  readonly child: ChildProcess;
  readonly began: number;
  /** Resolves when the process exits, with the milliseconds since its start. */
  readonly ended: Promise<number>;
}

/** Starts a contender on a task, with its own files and environment. */
export function start(
  contender: Contender,
  task: Omit<Task, 'folder'>,
  nodeArgs: readonly string[] = [],
): ContenderProcess {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  for (const name of ['state', 'output', 'summary']) writeFileSync(join(folder, name), '');
  const began = performance.now();
  const child = spawn(process.execPath, [...nodeArgs, ...contender.args], {
    env: { PATH: process.env['PATH'] ?? '', ...contender.env({ ...task, folder }) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<number>((resolve) => {
    child.once('exit', () => {
      resolve(performance.now() - began);
      rmSync(folder, { recursive: true, force: true });
    });
  });
  return { child, began, ended };
}

/** Returns the peak memory in MB and the CPU time in ms of a running process, from /proc. Works only on Linux. */
export function usageOf({ child }: ContenderProcess): { readonly peakMb: number; readonly cpuMs: number } {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    .replace(/^.*\)\s*/s, '')
    .split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { peakMb: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024, cpuMs: ticks * TICK_MS };
}

/** /proc reports CPU time in units of 1/100 s (USER_HZ). */
const TICK_MS = 10;
