/** One execution of a step: its two processes, its runner, and its share of the disk and the network. */
import type { World } from '../../../sandbox/model/index.ts';
import { CRASHES, type CrashPlan, createCrashMoments } from './crashes.ts';
import { createDisk } from './disk.ts';
import { type Facts, type ProcessFacts, pathsOf, recordsOf, type Surrounded } from './facts.ts';
import type { Job, JobStep } from './job.ts';
import type { Loop } from './loop.ts';
import type { Machine, Started } from './machine.ts';
import { createNetwork } from './network/network.ts';
import { beginMain, beginPost, type Surroundings } from './processes.ts';
import { createStream } from './random.ts';
import type { ProcessName, SingleSpec } from './spec.ts';
import { pipelineId, queueEarlier } from './world.ts';

/** The delay between the runner's decision to start post and post's first statement. */
const POST_STARTS_MS = 150;

export interface Shared {
  readonly loop: Loop;
  readonly world: World;
  /** The disk: file contents by path. */
  readonly files: Map<string, string>;
  readonly machine: Machine;
}

export interface Execution extends JobStep {
  /** The facts that the execution left behind; undefined if its main process never started. */
  readonly facts: (of: Pick<Facts, 'ended' | 'escaped'>) => readonly Facts[];
}

export function createExecution(spec: SingleSpec, number: number, shared: Shared, job: Job): Execution {
  const { loop, world, files, machine } = shared;
  const { runner } = spec;
  const paths = pathsOf(number);
  const pipelineIds = spec.pipelines.map((_, index) => pipelineId(index, number));
  const surrounded: Surrounded = { spec, paths, pipelineIds, earlier: queueEarlier(spec, number, world) };
  const processes: Partial<Record<ProcessName, Started>> = {};
  const postEnv: Record<string, string> = {};
  let isStateLost = false;
  /** Main's files, as the runner read them when it considered main finished. */
  let read:
    | { readonly step: number; readonly outputs: ReadonlyMap<string, string>; readonly summary: string }
    | undefined;

  const moments = createCrashMoments(spec.crashes, loop, ({ on, kind }) => {
    const target = processes[on];
    if (target === undefined) return;
    const { process } = target;
    const plan: CrashPlan = CRASHES[kind];
    if (on === 'main') crashJob(plan, target);
    if (plan.closesStdout) process.isStdoutOpen = false;
    const now = loop.nowMs;
    for (const [afterMs, name] of Object.entries(plan.signals)) {
      if (afterMs === '0') process.signal(name);
      else loop.at(now + Number(afterMs), () => process.signal(name));
    }
    if (plan.isBeside) mainHasEnded(POST_STARTS_MS);
    if (on === 'main' && !plan.isStepAlone) job.crash(kind);
  });
  const streamOf: Surroundings['streamOf'] = (...key) => createStream(spec.seed, number, ...key);
  const network = createNetwork({ spec, world, loop, streamOf }, moments.requestComesTo);
  const disk = createDisk(files, spec, paths, loop);
  const surroundings: Surroundings = { ...surrounded, loop, streamOf, network, disk };

  const start = (name: ProcessName): Started => {
    processes[name] = machine.start(name, spec, number);
    moments.arm(processes[name].process);
    return processes[name];
  };

  /** The runner's response to a crash of main, apart from signals. */
  const crashJob = (plan: CrashPlan, { process, stdout }: Started): void => {
    if (plan.job !== undefined) job.status = plan.job;
    if (plan.losesState) isStateLost = true;
    if (plan.isOrphaned) process.parentDied();
    if (plan.skipsPost) job.skipPosts();
    if (plan.isFrozen) process.frozen = true;
    // The runner has given up on the step and ignores everything that main prints.
    if (plan.isBeside) stdout.stopReading();
    if (plan.givenUpAfterMs === undefined) return;
    loop.at(loop.nowMs + plan.givenUpAfterMs, () => {
      readFiles();
      stdout.stopReading();
      process.signal('SIGKILL');
    });
  };

  const mainHasEnded = (inMs: number): void => {
    readFiles();
    job.mainHasEnded(step, inMs);
  };

  /** Reads the files only once, so later writes are lost. */
  const readFiles = (): void => {
    if (read !== undefined) return;
    const recordsIn = (path: string): Map<string, string> => recordsOf(files.get(path) ?? '').records;
    read = { step: loop.step, outputs: recordsIn(paths.output), summary: files.get(paths.summary) ?? '' };
    if (isStateLost) return;
    for (const [key, value] of recordsIn(paths.state)) postEnv[`STATE_${key}`] = value;
  };

  const step: Execution = {
    begin() {
      const started = start('main');
      started.process.onEnd(() => mainHasEnded(POST_STARTS_MS + runner.postAfterMs));
      beginMain(started, surroundings);
    },
    beginPost(onGone) {
      if (isStateLost) files.delete(paths.state);
      postEnv['INPUT_INTERNAL-JOB-STATUS'] = job.status ?? runner.jobStatusAtEnd;
      const started = start('post');
      started.process.onEnd(onGone);
      const visible = machine.processesFor(started, runner.sight);
      // The process starts in a separate event while the runner watches it.
      loop.firstAt(loop.nowMs, () => beginPost(started, surroundings, visible, postEnv));
    },
    crashWithJob: moments.crashWithJob,
    cleanUp: () => processes.main?.process.signal('SIGKILL'),
    facts(of) {
      const { main, post } = processes;
      if (main === undefined) return [];
      const facts: Facts = {
        ...of,
        neighbours: [],
        ...surrounded,
        world: { ...world, jobs: world.jobs.filter((one) => pipelineIds.includes(one.pipelineId)) },
        requests: network.requests,
        writes: disk.writes,
        stalls: disk.stalls,
        files,
        main: factsOf(main, read?.outputs),
        post: post && factsOf(post),
        crashed: moments.crashed,
        postEnv,
        endMs: loop.nowMs,
        summaries: { main: read?.summary ?? '', post: files.get(paths.postSummary) ?? '' },
        filesReadStep: read?.step,
      };
      return [facts];
    },
  };
  return step;
}

/** Externally visible facts about a process. `outputs` contains what its runner has read of them. */
function factsOf(started: Started, outputs: ReadonlyMap<string, string> = new Map()): ProcessFacts {
  const { process, stdout, atMs: startedAtMs, step: startedStep, observed } = started;
  const { end, effects, drained, lostTimer } = process;
  return { ...stdout.printed, observed, outputs, effects, drained, lostTimer, startedAtMs, startedStep, end };
}
