import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Job, Violation } from '../../sandbox/model/index.ts';
import type { RequestRecord } from '../../sandbox/server/index.ts';

const here = import.meta.dirname;
const bundle = join(here, '..', '..', 'dist', 'main.js');

/** The service's records of a step. */
export interface Seen {
  readonly runs: readonly (Job & { readonly status: string })[];
  readonly requests: readonly RequestRecord[];
  readonly violations: readonly Violation[];
}

/** The resource usage of the action's process. */
export interface Used {
  readonly cpuMs: number;
  readonly peakMiB: number;
}

export interface Play extends Seen, Used {
  readonly count: number;
  readonly intervalMs: number;
  /** Time from the start of the action's process to its exit, in milliseconds. */
  readonly tookMs: number;
  readonly exitCode: number | null;
  readonly stateBytes: number;
}

/** Runs one step with `count` pipelines. The service runs in another process, so figures include only the action. */
export async function play(count: number, intervalMs: number): Promise<Play> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const service = spawn(process.execPath, [join(here, 'service.ts'), String(count), String(intervalMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const { url, key } = await addressOf(service);
    const began = performance.now();
    const exitCode = await step(folder, count, intervalMs, { url, key });
    const tookMs = performance.now() - began;
    const seen = (await (await fetch(`${url}/_sandbox/state`)).json()) as Seen;
    const used = JSON.parse(readFileSync(join(folder, 'usage'), 'utf8')) as Used;
    const stateBytes = statSync(join(folder, 'state')).size;
    return { ...seen, ...used, count, intervalMs, tookMs, exitCode, stateBytes };
  } finally {
    service.stdin?.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function addressOf({ stdout }: ChildProcess): Promise<{ url: string; key: string }> {
  if (stdout === null) throw new Error('The service has no stdout.');
  const [line] = (await once(createInterface(stdout), 'line')) as [string];
  return JSON.parse(line) as { url: string; key: string };
}

/** Runs the bundle as a runner would, and returns its exit code. */
async function step(
  folder: string,
  count: number,
  intervalMs: number,
  { url, key }: { readonly url: string; readonly key: string },
): Promise<number | null> {
  const pipelines = Array.from({ length: count }, (_, index) => `bench-${index + 1}`);
  const file = (name: string): string => join(folder, name);
  // The runner creates these files.
  for (const name of ['output', 'state', 'summary']) writeFileSync(file(name), '');
  const env = {
    PATH: process.env['PATH'],
    NODE_OPTIONS: `--import=file://${join(here, 'usage.mjs')}`,
    BENCH_USAGE: file('usage'),
    GITHUB_OUTPUT: file('output'),
    GITHUB_STATE: file('state'),
    GITHUB_STEP_SUMMARY: file('summary'),
    RUNNER_TEMP: folder,
    'INPUT_API-KEY': key,
    'INPUT_BASE-URL': url,
    INPUT_PIPELINE: pipelines.join('\n'),
    'INPUT_POLL-INTERVAL': `${intervalMs}ms`,
  };
  const action = spawn(process.execPath, [bundle], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [exitCode] = (await once(action, 'exit')) as [number | null];
  return exitCode;
}
