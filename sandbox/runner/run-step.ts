import { setTimeout as sleep } from 'node:timers/promises';
import { Job, type JobOptions } from './job.ts';
import { MODES, type Mode, type ModeName } from './modes.ts';
import type { Collected, Running, StepOptions } from './step.ts';
import type { Annotation } from './step-log.ts';
import type { Ended, StepProcess } from './step-process.ts';

/** When to end a step from outside, and in the way of which runner. */
export interface Interrupt {
  readonly mode: ModeName;
  /** Settles at the instant to strike. */
  readonly when: (main: StepProcess) => Promise<unknown>;
  /** Instead of the mode's own, ms. */
  readonly waitsMs?: number;
}

/** What came of one process of a step. */
export interface ProcessResult extends Ended {
  /** As people see them, and as they came. */
  readonly log: readonly string[];
  readonly lines: readonly string[];
  readonly annotations: readonly Annotation[];
  /** What it wrote, as far as the runner read it. */
  readonly files: Collected;
}

export interface StepResult {
  /** Its exit code and signal are null if it was given up while it was alive. */
  readonly main: ProcessResult;
  /** Undefined when the runner skipped it. */
  readonly post: ProcessResult | undefined;
  /** Whether main was alive when post was started. */
  readonly mainOutlived: boolean;
}

export interface RunOptions extends StepOptions {
  /** Called between main and post. */
  readonly onMainEnd?: (main: ProcessResult) => void;
}

/** Runs a step of a job from its start to the end of its post, the way a runner of some kind does. */
export async function runStep(job: Job, options: RunOptions, interrupt?: Interrupt): Promise<StepResult> {
  const step = job.step(options);
  const main = step.startMain();
  const mode = interrupt === undefined ? undefined : await strike(job, main, interrupt);
  const ended = await endedWithin(main, interrupt?.waitsMs ?? mode?.waitsMs);
  if (mode === undefined && ended?.exitCode !== 0) job.status = 'failure';
  const mainOutlived = main.process.alive;
  const files = main.collect();
  const mainResult = resultOf(main, ended, files);
  options.onMainEnd?.(mainResult);
  const state = mode?.post === 'state lost' ? {} : files.state;
  const post = mode?.post === 'skipped' ? undefined : step.startPost(state);
  const postEnded = await post?.ended;
  return {
    main: mainResult,
    post: post && resultOf(post, postEnded, post.collect()),
    mainOutlived,
  };
}

/** The same for a job of one step. */
export async function runJob(options: JobOptions & RunOptions, interrupt?: Interrupt): Promise<StepResult> {
  const job = new Job(options);
  try {
    return await runStep(job, options, interrupt);
  } finally {
    await job.close();
  }
}

/** Waits for the instant, and strikes; undefined when main ended before it came. */
async function strike(job: Job, main: Running, interrupt: Interrupt): Promise<Mode | undefined> {
  const now = interrupt.when(main.process).then(() => 'now');
  if ((await Promise.race([now, main.ended])) !== 'now') return undefined;
  const mode: Mode = MODES[interrupt.mode];
  job.status = mode.jobStatus;
  if (mode.stdoutCloses) main.process.closeStdout();
  if (mode.hears === 'ladder') main.process.cancel();
  if (mode.hears === 'kill') main.process.signal('SIGKILL');
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

function resultOf({ log }: Running, ended: Ended | undefined, files: Collected): ProcessResult {
  const { shown, lines, annotations } = log;
  return { exitCode: null, signal: null, ...ended, log: shown, lines, annotations, files };
}
