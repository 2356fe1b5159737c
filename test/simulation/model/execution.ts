/** One execution of a step: its two processes, its runner, and its share of the disk and the network. */
import type { World } from '../../../sandbox/model/index.ts';
import { CRASHES, CrashMoments, type CrashPlan } from './crashes.ts';
import { Disk, type SharedFiles } from './disk.ts';
import { mainEnvironment, postEnvironment } from './environment.ts';
import { type Facts, type ProcessFacts, pathsOf, type Surrounded } from './facts.ts';
import type { Job, JobStep } from './job.ts';
import type { Loop } from './loop.ts';
import type { Machine, Started } from './machine.ts';
import { Network } from './network/network.ts';
import { beginMain, beginPost, type Surroundings } from './processes.ts';
import { createStream } from './random.ts';
import { recordsOf } from './runner-state.ts';
import type { Crash, CrashKind, ProcessName, SingleSpec } from './spec.ts';
import { pipelineId, queueEarlier } from './world.ts';

/** From the moment the runner turns to post to post's first statement. */
const POST_STARTS_MS = 150;

/** What all executions of a scenario share. */
export interface Shared {
  readonly loop: Loop;
  readonly world: World;
  readonly files: SharedFiles;
  readonly machine: Machine;
}

export class Execution implements JobStep {
  readonly #number: number;
  readonly #surrounded: Surrounded;
  readonly #shared: Shared;
  readonly #job: Job;
  readonly #surroundings: Surroundings;
  readonly #moments: CrashMoments;
  readonly #started: Partial<Record<ProcessName, Started>> = {};
  readonly #postEnv: Record<string, string> = {};
  /** Outputs, summary and state of main, as read when it had ended. */
  #outputs: ReadonlyMap<string, string> = new Map();
  #summary = '';
  #filesReadStep: number | undefined;
  #isStateLost = false;

  constructor(spec: SingleSpec, number: number, shared: Shared, job: Job) {
    const { loop, world } = shared;
    const paths = pathsOf(number);
    this.#number = number;
    this.#shared = shared;
    this.#job = job;
    const pipelineIds = spec.pipelines.map((_, index) => pipelineId(index, number));
    this.#surrounded = { spec, paths, pipelineIds, earlier: queueEarlier(spec, number, world) };
    this.#moments = new CrashMoments(spec.crashes, loop, (crash) => this.#crash(crash));
    const streamOf: Surroundings['streamOf'] = (...key) => createStream(spec.seed, number, ...key);
    const network = new Network({ spec, world, loop, streamOf, onRequest: (at) => this.#moments.requestComesTo(at) });
    this.#surroundings = { loop, streamOf, network, disk: new Disk(shared.files, spec, paths) };
  }

  begin(): void {
    const { runner } = this.#surrounded.spec;
    const started = this.#start('main');
    started.process.onEnd(() => this.#mainHasEnded(POST_STARTS_MS + runner.postAfterMs));
    beginMain(started, this.#surroundings, mainEnvironment(this.#surrounded, runner.jobStatusAtStart));
  }

  beginPost(onGone: () => void): void {
    const { loop, machine, files } = this.#shared;
    const { spec, paths } = this.#surrounded;
    if (this.#isStateLost) files.delete(paths.state);
    this.#postEnv['INPUT_INTERNAL-JOB-STATUS'] = this.#job.status ?? spec.runner.jobStatusAtEnd;
    const env = postEnvironment(this.#surrounded, this.#postEnv);
    const started = this.#start('post');
    started.process.onEnd(onGone);
    const processes = machine.processesFor(started, spec.runner.sight);
    // The process begins in an event of its own, when the runner watches it.
    loop.soonest(() => beginPost(started, this.#surroundings, processes, env));
  }

  crashWithJob(kind: CrashKind): void {
    this.#moments.crashWithJob(kind);
  }

  cleanUp(): void {
    this.#started.main?.process.signal('SIGKILL');
  }

  #start(name: ProcessName): Started {
    const started = this.#shared.machine.start(name, this.#surrounded.spec, this.#number);
    this.#started[name] = started;
    this.#moments.arm(started.process);
    return started;
  }

  #crash({ on, kind }: Pick<Crash, 'on' | 'kind'>): void {
    const target = this.#started[on];
    if (target === undefined) return;
    const { loop } = this.#shared;
    const { process } = target;
    const plan: CrashPlan = CRASHES[kind];
    if (on === 'main') this.#crashJob(plan, target);
    if (plan.closesStdout) process.isStdoutOpen = false;
    const now = loop.nowMs;
    for (const [afterMs, name] of plan.signals) {
      if (afterMs === 0) process.signal(name);
      else loop.at(now + afterMs, () => process.signal(name));
    }
    if (plan.isBeside) this.#mainHasEnded(POST_STARTS_MS);
    if (on === 'main' && !plan.isStepAlone) this.#job.crashOthers(this, kind);
  }

  /** What a crash of main has the runner do, apart from signals. */
  #crashJob(plan: CrashPlan, { process, stdout }: Started): void {
    const { loop } = this.#shared;
    if (plan.job !== undefined) this.#job.status = plan.job;
    if (plan.losesState) this.#isStateLost = true;
    if (plan.isOrphaned) process.parentDied();
    if (plan.skipsPost) this.#job.skipPosts();
    if (plan.isFrozen) process.frozen = true;
    // The runner has given the step up, and ignores what main prints.
    if (plan.isBeside) stdout.stopReading();
    if (plan.givenUpAfterMs === undefined) return;
    loop.at(loop.nowMs + plan.givenUpAfterMs, () => {
      this.#readFiles();
      stdout.stopReading();
      process.signal('SIGKILL');
    });
  }

  #mainHasEnded(inMs: number): void {
    this.#readFiles();
    this.#job.mainHasEnded(this, inMs);
  }

  /** Once: what is written to them later is lost. */
  #readFiles(): void {
    if (this.#filesReadStep !== undefined) return;
    const { paths } = this.#surrounded;
    const recordsIn = (path: string): Map<string, string> => recordsOf(this.#shared.files.get(path) ?? '').records;
    this.#filesReadStep = this.#shared.loop.step;
    this.#outputs = recordsIn(paths.output);
    this.#summary = this.#shared.files.get(paths.summary) ?? '';
    if (this.#isStateLost) return;
    for (const [key, value] of recordsIn(paths.state)) this.#postEnv[`STATE_${key}`] = value;
  }

  /** What it has left behind; nothing if its main never started. */
  facts(of: Pick<Facts, 'ended' | 'escaped' | 'hasNeighbours'>): readonly Facts[] {
    const { main, post } = this.#started;
    if (main === undefined) return [];
    const { pipelineIds, paths } = this.#surrounded;
    const { loop, world, files } = this.#shared;
    const { network, disk } = this.#surroundings;
    const facts: Facts = {
      ...of,
      ...this.#surrounded,
      world: { ...world, jobs: world.jobs.filter((job) => pipelineIds.includes(job.pipelineId)) },
      requests: network.requests,
      writes: disk.writes,
      stalls: disk.stalls,
      files,
      main: factsOf(main, this.#outputs),
      post: post && factsOf(post, new Map()),
      crashed: this.#moments.crashed,
      postEnv: this.#postEnv,
      endMs: loop.nowMs,
      summaries: { main: this.#summary, post: files.get(paths.postSummary) ?? '' },
      filesReadStep: this.#filesReadStep,
    };
    return [facts];
  }
}

/** What can be seen of a process from outside. `outputs` is what its runner has read of them. */
function factsOf(started: Started, outputs: ReadonlyMap<string, string>): ProcessFacts {
  const { process, stdout, atMs, step, observed } = started;
  const { end, effects, drained } = process;
  return {
    ...stdout.printed,
    ...{ observed, outputs, effects, drained },
    startedAtMs: atMs,
    startedStep: step,
    end: end && { how: end.how, code: 'code' in end ? end.code : undefined, atMs: end.atMs, step: end.step },
  };
}
