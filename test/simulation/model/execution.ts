import type { World } from '../../../sandbox/model/index.ts';
import { Disk, type SharedFiles } from './disk.ts';
import { mainEnvironment, postEnvironment, type Surrounded } from './environment.ts';
import { type Facts, pathsOf } from './facts.ts';
import { fileAt } from './file-names.ts';
import type { Job } from './job.ts';
import type { Loop } from './loop.ts';
import type { Machine, Started } from './machine.ts';
import { beginMain } from './main-process.ts';
import { Network } from './network/network.ts';
import { pipelineId } from './pipeline-id.ts';
import { beginPost } from './post-process.ts';
import { factsOf } from './process-facts.ts';
import type { Surroundings } from './process-parts.ts';
import { createStream, type StreamOf } from './random.ts';
import { Runner } from './runner.ts';
import type { ProcessName, SingleSpec } from './spec.ts';
import type { Trace } from './trace.ts';
import { queueEarlier } from './world.ts';

/** What all executions of a scenario share. */
export interface Shared {
  readonly loop: Loop;
  readonly trace: Trace;
  readonly world: World;
  readonly files: SharedFiles;
  readonly machine: Machine;
}

/** One execution of a step on the machine: its two processes, its runner, and what of machine and network is its own. */
export class Execution {
  readonly #number: number;
  readonly #surrounded: Surrounded;
  readonly #shared: Shared;
  readonly #disk: Disk;
  readonly #network: Network;
  readonly #surroundings: Surroundings;
  readonly #runner: Runner;
  readonly #started: Partial<Record<ProcessName, Started>> = {};

  constructor(spec: SingleSpec, number: number, shared: Shared, job: Job) {
    const { loop, world, trace } = shared;
    const paths = pathsOf(number);
    this.#number = number;
    this.#shared = shared;
    this.#surrounded = {
      spec,
      paths,
      pipelineIds: spec.pipelines.map((_, index) => pipelineId(index, number)),
      earlier: queueEarlier(spec, number, world),
    };
    const streamOf: StreamOf = (...key) => createStream(spec.seed, number, ...key);
    this.#disk = new Disk(shared.files, spec, (path) => fileAt(paths, path));
    this.#network = new Network({ spec, world, loop, streamOf, trace });
    this.#surroundings = { loop, streamOf, disk: this.#disk, network: this.#network };
    this.#runner = new Runner({
      spec,
      paths,
      loop,
      disk: this.#disk,
      job,
      startMain: (watch) => this.#startMain(watch),
      startPost: (state) => this.#startPost(state),
    });
    this.#network.onRequest = (point) => this.#runner.requestComesTo(point);
  }

  /** What the job knows of it. */
  get step(): Runner {
    return this.#runner;
  }

  #startMain(watch: (started: Started) => void): Started {
    const { spec } = this.#surrounded;
    const started = this.#start('main');
    watch(started);
    beginMain(started, this.#surroundings, mainEnvironment(this.#surrounded, spec.runner.jobStatusAtStart));
    return started;
  }

  #startPost(state: Readonly<Record<string, string>>): Started {
    const { loop, machine } = this.#shared;
    const started = this.#start('post');
    const env = postEnvironment(this.#surrounded, state);
    const processes = machine.processesFor(started.process, this.#surrounded.spec.runner.sight);
    // The process begins in an event of its own, when the runner watches it.
    loop.soonest(() => beginPost(started, this.#surroundings, processes, env));
    return started;
  }

  #start(name: ProcessName): Started {
    const started = this.#shared.machine.start(name, this.#surrounded.spec, this.#number);
    this.#started[name] = started;
    return started;
  }

  /** What it has left behind; nothing if its main was never started. */
  facts(of: Pick<Facts, 'ended' | 'escaped' | 'hasNeighbours'>): readonly Facts[] {
    const { main, post } = this.#started;
    if (main === undefined) return [];
    const { spec, paths, pipelineIds, earlier } = this.#surrounded;
    const { loop, world, files } = this.#shared;
    const isOurs = new Set(pipelineIds);
    const facts: Facts = {
      ...of,
      spec,
      paths,
      pipelineIds,
      world: { ...world, jobs: world.jobs.filter((job) => isOurs.has(job.pipelineId)) },
      earlier,
      requests: this.#network.requests,
      writes: this.#disk.writes,
      stalls: this.#disk.stalls,
      files,
      main: factsOf(main, this.#runner.outputs),
      post: post && factsOf(post, new Map()),
      crashed: this.#runner.crashed,
      postEnv: this.#runner.postEnv,
      endMs: loop.nowMs,
      summaries: { main: this.#runner.summary, post: files.get(paths.postSummary) ?? '' },
      filesReadStep: this.#runner.filesReadStep,
    };
    return [facts];
  }
}
