import { setTimeout as sleep } from 'node:timers/promises';
import { Job, type JobOptions } from './job.ts';
import { MODES, type Mode, type ModeName } from './modes.ts';
import type { Collected, Running, StepOptions } from './step.ts';
import type { Annotation } from './step-log.ts';
import type { Ended, StepProcess } from './step-process.ts';

/** The time in ms in which the operating system reports the end of a process, and a factor for a busy machine. */
const END_REPORTED_WITHIN_MS = 1_000;
const END_REPORTED_WITHIN_STARTS = 10;

/** The time at which to end a step from outside, and the kind of runner that ends the step. */
export interface Interrupt {
  readonly mode: ModeName | Mode;
  /** Settles when the runner should end the step. */
  readonly when: (main: StepProcess) => Promise<unknown>;
}

/** The result of one process of a step. */
export interface ProcessResult extends Ended {
  /** The lines as shown in the log, and as written by the process. */
  readonly log: readonly string[];
  readonly lines: readonly string[];
  readonly annotations: readonly Annotation[];
  /** The contents of the process's files, as far as the runner read them. */
  readonly files: Collected;
  /** The time of the process's exit, according to `performance.now()`. */
  readonly endedAt: number | undefined;
  /** The time in ms from the start to the first line. */
  readonly startUpMs: number;
}

export interface StepResult {
  /** The main process, whose exit code and signal are null while it is alive. */
  readonly main: ProcessResult;
  /** The post process, or undefined if the runner skipped it. */
  readonly post: ProcessResult | undefined;
  /** Whether main was alive when post began, and after post ended. */
  readonly mainAlive: { readonly before: boolean; readonly after: boolean };
}

export interface RunOptions extends StepOptions {
  /** Called between main and post. */
  readonly onMainEnd?: (main: ProcessResult) => void;
  readonly onPostStart?: (post: StepProcess) => void;
}

/** Runs a step of a job from its start to the end of its post step, as one kind of runner does. */
export async function runStep(job: Job, options: RunOptions, interrupt?: Interrupt): Promise<StepResult> {
  const step = job.step(options);
  const main = step.startMain();
  const mode = interrupt === undefined ? undefined : await strike(job, main, interrupt);
  const ended = await endedWithin(main, mode?.waitsMs);
  if (mode === undefined && ended?.exitCode !== 0) job.status = 'failure';
  const before = main.process.alive;
  const files = main.collect();
  const mainResult = resultOf(main, ended, files);
  options.onMainEnd?.(mainResult);
  const state = mode?.post === 'state lost' ? {} : files.state;
  const post = mode?.post === 'skipped' ? undefined : step.startPost(state);
  if (post !== undefined) options.onPostStart?.(post.process);
  const postEnded = await post?.ended;
  const delayMs = END_REPORTED_WITHIN_MS + END_REPORTED_WITHIN_STARTS * main.process.startUpMs;
  await endedWithin(main, post === undefined ? 0 : delayMs);
  return {
    main: main.process.alive ? mainResult : resultOf(main, await main.ended, files),
    post: post && resultOf(post, postEnded, post.collect()),
    mainAlive: { before, after: main.process.alive },
  };
}

/** Runs a job that has only one step. */
export async function runJob(options: JobOptions & RunOptions, interrupt?: Interrupt): Promise<StepResult> {
  const job = new Job(options);
  try {
    return await runStep(job, options, interrupt);
  } finally {
    await job.close();
  }
}

/** Waits for the time of the interruption and ends the step. Returns undefined if main exited earlier. */
async function strike(job: Job, main: Running, interrupt: Interrupt): Promise<Mode | undefined> {
  const now = interrupt.when(main.process).then(() => 'now');
  if ((await Promise.race([now, main.ended])) !== 'now') return undefined;
  const mode: Mode = typeof interrupt.mode === 'string' ? MODES[interrupt.mode] : interrupt.mode;
  job.status = mode.jobStatus;
  if (mode.stdoutCloses) main.process.closeStdout();
  if (mode.hears === 'ladder') main.process.cancel(mode.killAfterMs);
  else if (mode.hears !== 'nothing') main.process.signal(mode.hears);
  return mode;
}

async function endedWithin(main: Running, ms = Number.POSITIVE_INFINITY): Promise<Ended | undefined> {
  if (ms === Number.POSITIVE_INFINITY) return main.ended;
  const givenUp = new AbortController();
  const patience = sleep(ms, undefined, { signal: givenUp.signal }).catch(() => undefined);
  const ended = await Promise.race([main.ended, patience]);
  givenUp.abort();
  return ended;
}

function resultOf({ log, process }: Running, ended: Ended | undefined, files: Collected): ProcessResult {
  const { shown, lines, annotations } = log;
  const { endedAt, startUpMs } = process;
  return { exitCode: null, signal: null, ...ended, log: shown, lines, annotations, files, endedAt, startUpMs };
}
