/** Runs a step from its start to the end of its post step, as a given kind of runner does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { holds } from './action.ts';
import { type Collected, Job, type JobOptions, type Running, type StepOptions } from './job.ts';
import { MODES, type Mode, type ModeName } from './modes.ts';
import type { Annotation } from './output.ts';
import type { Ended, StepProcess } from './process.ts';

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
}

export interface RunOptions extends StepOptions {
  /** Called between the main and post processes. */
  readonly onMainEnd?: (main: ProcessResult) => void;
  readonly onPostStart?: (post: StepProcess) => void;
}

/**
 * How long to wait for the main process once the post process has ended: a time in ms, plus a number of start-up times,
 * which are long on a busy machine.
 */
const ENDS_WITHIN_MS = 1_000;
const ENDS_WITHIN_STARTS = 10;

export async function runStep(job: Job, options: RunOptions, interrupt?: Interrupt): Promise<StepResult> {
  const { main: mainEntry, post: postEntry, postIf } = job.action;
  const step = job.newStep();
  const main = job.start(mainEntry, step, options);
  const mode = interrupt === undefined ? undefined : await strike(job, main, interrupt);
  const ended = mode?.isAwaited === false ? undefined : await main.process.ended;
  if (mode === undefined && ended?.exitCode !== 0) job.status = 'failure';
  const files = main.collect();
  options.onMainEnd?.(resultOf(main, ended, files));
  const state = mode?.post === 'state lost' ? {} : files.state;
  const isSkipped = postEntry === undefined || mode?.post === 'skipped' || !holds(postIf, job.status);
  const post = isSkipped ? undefined : job.start(postEntry, step, { ...options, files: {} }, state);
  if (post !== undefined) options.onPostStart?.(post.process);
  const postEnded = await post?.process.ended;
  const mainEnded = await Promise.race([main.process.ended, sleep(patienceMs(main), undefined, { ref: false })]);
  return { main: resultOf(main, mainEnded, files), post: post && resultOf(post, postEnded, post.collect()) };
}

function patienceMs({ process }: Running): number {
  return ENDS_WITHIN_MS + ENDS_WITHIN_STARTS * process.startUpMs;
}

/** Runs a one-step job. */
export async function runJob(options: JobOptions & RunOptions, interrupt?: Interrupt): Promise<StepResult> {
  const job = new Job(options);
  try {
    return await runStep(job, options, interrupt);
  } finally {
    await job.close();
  }
}

/** Waits until the interruption is due and ends the step. Returns undefined if the main process exited earlier. */
async function strike(job: Job, { process: main }: Running, interrupt: Interrupt): Promise<Mode | undefined> {
  const now = interrupt.when(main).then(() => 'now');
  if ((await Promise.race([now, main.ended])) !== 'now') return undefined;
  const mode: Mode = typeof interrupt.mode === 'string' ? MODES[interrupt.mode] : interrupt.mode;
  job.status = mode.jobStatus ?? job.status;
  if (mode.stdout === 'closed') main.closeStdout();
  main.send(mode.signals);
  return mode;
}

function resultOf({ log, process }: Running, ended: Ended | undefined, files: Collected): ProcessResult {
  const { shown, lines, annotations } = log;
  const { endedAt, startUpMs } = process;
  return { exitCode: null, signal: null, ...ended, log: shown, lines, annotations, files, endedAt, startUpMs };
}
