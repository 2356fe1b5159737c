/** Runs a step in real processes, from the start of main to the end of post, as its description says. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestFault, Role } from '../faults.ts';
import type { Sandbox } from '../server/index.ts';
import { holds } from './action.ts';
import { type Collected, type Job, RUNNER_FILES, type Running, type StepOptions } from './job.ts';
import { MODES, type Mode, type ModeName } from './modes.ts';
import type { Annotation } from './output.ts';
import type { Ended, StepProcess } from './process.ts';
import { type Incident, inputsOfPost, type Moment, QUEUED, type StepDescription, statusAfter } from './step.ts';

/** A description with what only real processes have: other modes, and moments that a function waits for. */
export interface RealStep extends StepDescription<RequestFault, RealIncident>, StepOptions {
  /** Called right before an incident. */
  readonly onIncident?: () => void;
  /** Called between the main and post processes. */
  readonly onMainEnd?: (main: ProcessResult, job: Job) => void;
}

export type RealIncident = Incident<ModeName | Mode, Moment | RealMoment>;

/** Settles when the runner should end the process. */
type RealMoment = (process: StepProcess, sandbox: Sandbox, job: Job) => Promise<unknown>;

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

/**
 * How long to wait for the main process once the post process has ended: a time in ms, plus a number of start-up times,
 * which are long on a busy machine.
 */
const ENDS_WITHIN_MS = 1_000;
const ENDS_WITHIN_STARTS = 10;

/** Runs a step of a job. The faults are those of the sandbox. */
export async function runStep(job: Job, step: RealStep, sandbox: Sandbox): Promise<StepResult> {
  const { inputs = {}, runner = {} } = step;
  const { main: mainEntry, post: postEntry, postIf } = job.action;
  const id = job.newStep();
  const main = job.start(mainEntry, id, step);
  const { ended, modes } = await awaitProcess('main', main.process, { job, step, sandbox });
  const isFailed = ended !== undefined && ended.exitCode !== 0;
  if (job.status === 'success') job.status = runner.statusAtEnd ?? (isFailed ? 'failure' : 'success');
  const files = main.collect();
  step.onMainEnd?.(resultOf(main, ended, files), job);
  if (runner.temp === 'vanishes') emptyTemp(job);
  const ways = modes.map((mode) => mode.post);
  const state = runner.losesState === true || ways.includes('state lost') ? {} : files.state;
  const isSkipped = ways.includes('skipped') || !holds(postIf, job.status);
  if (postEntry === undefined || isSkipped) return { main: await finalResultOf(main, files), post: undefined };
  const post = job.start(postEntry, id, { ...step, inputs: inputsOfPost(inputs, runner), files: {} }, state);
  const last = await awaitProcess('post', post.process, { job, step, sandbox });
  return { main: await finalResultOf(main, files), post: resultOf(post, last.ended, post.collect()) };
}

interface Stage {
  readonly job: Job;
  readonly step: RealStep;
  readonly sandbox: Sandbox;
}

/** Waits for a process, as long as a runner does, and lets its incidents happen. Returns the modes of those that did. */
async function awaitProcess(role: Role, process: StepProcess, { job, step, sandbox }: Stage) {
  const modes: Mode[] = [];
  const { promise: left, resolve: leave, reject } = Promise.withResolvers<undefined>();
  let hasEnded = false;
  const ended = process.ended.then((end) => {
    hasEnded = true;
    return end;
  });
  for (const { on = 'main', what, at = QUEUED } of step.incidents ?? []) {
    if (on !== role) continue;
    const happen = (): void => {
      if (hasEnded) return;
      step.onIncident?.();
      const mode: Mode = typeof what === 'string' ? MODES[what] : what;
      modes.push(mode);
      job.status = statusAfter(mode, job.status);
      if (role === 'main' && step.runner?.temp === 'vanishes') emptyTemp(job);
      if (mode.stdout === 'closed') process.closeStdout();
      process.send(mode.signals);
      if (!mode.isAwaited) leave(undefined);
    };
    const reached = typeof at === 'function' ? at(process, sandbox, job) : reach(at, process, sandbox);
    // A process may end before the moment.
    reached.then(happen).catch(reject);
  }
  return { ended: await Promise.race([ended, left]), modes };
}

/** Waits for a moment of a process. */
async function reach(moment: Moment, process: StepProcess, sandbox: Sandbox): Promise<unknown> {
  if ('ms' in moment) return sleep(moment.ms, undefined, { ref: false });
  if ('line' in moment) await process.line(moment.line);
  else {
    const { call, nth, phase } = moment;
    const { arrival, commit, end } = sandbox;
    // The sandbox counts the requests of all processes.
    const before = sandbox.requests.filter(({ kind }) => kind === call).length;
    await { connected: arrival, processed: commit, answered: end }[phase](call, before + nth);
  }
  return sleep(moment.plusMs, undefined, { ref: false });
}

/** Removes what steps wrote to RUNNER_TEMP. */
function emptyTemp({ temp }: Job): void {
  for (const name of readdirSync(temp)) {
    if (name !== RUNNER_FILES) rmSync(join(temp, name), { recursive: true });
  }
}

async function finalResultOf(main: Running, files: Collected): Promise<ProcessResult> {
  const withinMs = ENDS_WITHIN_MS + ENDS_WITHIN_STARTS * main.process.startUpMs;
  const ended = await Promise.race([main.process.ended, sleep(withinMs, undefined, { ref: false })]);
  return resultOf(main, ended, files);
}

function resultOf({ log, process }: Running, ended: Ended | undefined, files: Collected): ProcessResult {
  const { shown, lines, annotations } = log;
  const { endedAt, startUpMs } = process;
  return { exitCode: null, signal: null, ...ended, log: shown, lines, annotations, files, endedAt, startUpMs };
}
