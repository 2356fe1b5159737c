import { createWorld, revokeKey, SANDBOX_KEY, type World } from '../../../sandbox/model/index.ts';
import { isAllSettled } from '../../../src/action/all-settled.ts';
import { prepareMain } from '../../../src/action/main-step.ts';
import { performPost } from '../../../src/action/post-step.ts';
import { runMain, runPost } from '../../../src/action/process.ts';
import type { Processes } from '../../../src/action/processes.ts';
import type { OpenService } from '../../../src/action/service.ts';
import { listenForInterruption } from '../../../src/action/signals.ts';
import { createService } from '../../../src/service/client.ts';
import { Chronicle } from './chronicle.ts';
import { Disk } from './disk.ts';
import { type Facts, PATHS, type ProcessFacts, type SignalFact } from './facts.ts';
import { Loop } from './loop.ts';
import { Network } from './network/network.ts';
import { pipelineId } from './pipeline-id.ts';
import { createRandom, type Random } from './random.ts';
import { Runner, type Started } from './runner.ts';
import { SimProcess } from './sim-process.ts';
import type { FileName, LifeSpec, ProcessName } from './spec.ts';
import { Stdout } from './stdout.ts';

/** A life that is not over by then never will be. */
const LONGEST_LIFE_MS = 48 * 3_600_000;
const MOST_STEPS = 12_000;

const LOCAL = 'http://127.0.0.1:8080';

const PIDS = { main: 4_242, post: 4_711 } as const;

let failNow: ((error: unknown) => void) | undefined;

/** A rejection that nobody handled came up in this thread: it belongs to the life that is being lived. */
export function reportRejection(error: unknown): boolean {
  failNow?.(error);
  return failNow !== undefined;
}

/** Lives a life from its first statement to the end of whatever it left behind. */
export async function live(spec: LifeSpec): Promise<Facts> {
  const life = new Life(spec);
  try {
    return await life.live();
  } finally {
    failNow = undefined;
  }
}

class Life {
  readonly #spec: LifeSpec;
  readonly #random: Random;
  readonly #loop = new Loop();
  readonly #chronicle: Chronicle;
  readonly #world: World;
  /** Ids of runs that were there before. */
  readonly #earlier: readonly string[];
  readonly #disk: Disk;
  readonly #network: Network;
  readonly #runner: Runner;
  readonly #heard: Record<ProcessName, SignalFact[]> = { main: [], post: [] };
  readonly #started: Partial<
    Record<ProcessName, Started & { readonly atMs: number; readonly step: number }>
  > = {};
  readonly #escaped: string[] = [];

  constructor(spec: LifeSpec) {
    this.#spec = spec;
    this.#random = createRandom(spec.seed);
    this.#chronicle = new Chronicle(this.#loop);
    this.#world = worldOf(spec);
    this.#earlier = queueEarlier(spec, this.#world);
    this.#disk = new Disk(spec.disk, fileAt);
    this.#network = new Network({
      spec,
      world: this.#world,
      loop: this.#loop,
      random: this.#random,
      chronicle: this.#chronicle,
    });
    this.#runner = new Runner({
      spec,
      loop: this.#loop,
      disk: this.#disk,
      startPost: (env) => this.#startPost(env),
    });
    this.#network.onFault = (fault, process) => this.#runner.faultHits(fault, process);
  }

  async live(): Promise<Facts> {
    failNow = (error) => this.#escape(error);
    const { keyRevokedAtMs } = this.#spec;
    if (keyRevokedAtMs !== null) {
      this.#loop.at(keyRevokedAtMs, () => {
        this.#chronicle.note('service', 0, 'key revoked', '');
        revokeKey(this.#world, SANDBOX_KEY);
      });
    }
    this.#loop.at(0, () => this.#startMain());
    const ended = await this.#loop.run({ untilMs: LONGEST_LIFE_MS, steps: MOST_STEPS }, () => {
      this.#started.main?.process.host.noticeDrained();
      this.#started.post?.process.host.noticeDrained();
    });
    const main = this.#factsOf('main');
    if (main === undefined) throw new Error('Main was never started.');
    return {
      spec: this.#spec,
      world: this.#world,
      earlier: this.#earlier,
      requests: this.#network.requests,
      writes: this.#disk.writes,
      files: this.#disk.files,
      main,
      post: this.#factsOf('post'),
      struck: this.#runner.struck,
      postEnv: this.#runner.postEnv,
      ended,
      endMs: this.#loop.nowMs,
      digest: () => this.#chronicle.digest(),
      filesReadStep: this.#runner.filesReadStep,
      log: this.#chronicle.lines,
      escaped: this.#escaped,
    };
  }

  #startMain(): void {
    const { runner } = this.#spec;
    const started = this.#boot('main');
    const { process, stdout } = started;
    this.#runner.watch('main', started);
    const env = {
      ...this.#environment(this.#spec.inputs),
      'INPUT_INTERNAL-JOB-STATUS': runner.jobStatusAtStart,
      GITHUB_STATE: PATHS.state,
      GITHUB_OUTPUT: PATHS.output,
      GITHUB_STEP_SUMMARY: PATHS.summary,
    };
    const step = prepareMain({
      env,
      pid: process.pid,
      startedAt: process.startedAt,
      clock: process.clock,
      random: () => this.#random.next(),
      files: this.#filesFor(process),
      toolkit: stdout.toolkit,
      print: stdout.print,
      interruption: this.#listen(started),
      openService: (options) => this.#openService(process, options),
    });
    process.begun = true;
    runMain(step, stdout.toolkit.debug, process.host);
  }

  #startPost(state: Record<string, string>): Started {
    const { inputs, runner } = this.#spec;
    const started = this.#boot('post');
    const { process, stdout } = started;
    const env: Record<string, string> = {
      ...this.#environment(runner.postInputsEmpty ? {} : inputs),
      ...state,
      GITHUB_STATE: PATHS.postState,
      GITHUB_STEP_SUMMARY: PATHS.postSummary,
    };
    if (runner.postKeyMissing) env['INPUT_API-KEY'] = '';
    // The process begins in an event of its own, when the runner watches it.
    this.#loop.soonest(() => {
      if (!process.alive) return;
      process.begun = true;
      if (isAllSettled(env, this.#filesFor(process))) {
        process.finish({ how: 'exited', code: 0 });
        return;
      }
      const parts = {
        env,
        clock: process.clock,
        random: () => this.#random.next(),
        files: this.#filesFor(process),
        processes: this.#processesFor(process),
        toolkit: stdout.toolkit,
        print: stdout.print,
        interruption: this.#listen(started),
        openService: (options: ServiceOptions) => this.#openService(process, options),
      };
      runPost(
        () => performPost(parts),
        (why) => stdout.toolkit.annotate('warning', 'run-pipeline', why),
        process.host,
      );
    });
    return started;
  }

  #environment(inputs: Readonly<Record<string, string>>): Record<string, string> {
    const { mode, local, pipelines } = this.#spec;
    const earlier = this.#earlier.join('\n');
    const all = {
      ...inputs,
      'api-key': SANDBOX_KEY,
      'base-url': local ? LOCAL : 'https://app.example.test',
      pipeline: mode === 'attach' ? '' : pipelines.map(givenAs).join('\n'),
      'job-id': mode === 'attach' || mode === 'resume' ? earlier : '',
      'dry-run': mode === 'dry_run' ? 'true' : '',
    };
    return {
      ...Object.fromEntries(
        Object.entries(all).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
      ),
      ...(this.#spec.runner.noTemp ? {} : { RUNNER_TEMP: PATHS.temp }),
      GITHUB_RUN_ID: '900',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_JOB: 'load',
    };
  }

  #boot(name: ProcessName): Started {
    const process = new SimProcess({
      name,
      pid: PIDS[name],
      loop: this.#loop,
      chronicle: this.#chronicle,
      clock: this.#spec.clocks[name],
      flushMs: this.#spec.runner.flushMs,
      lostTimer: name === 'main' ? this.#spec.lostTimer : null,
    });
    const stdout = new Stdout(process, this.#loop, this.#spec.runner.debug);
    const started = { process, stdout, atMs: this.#loop.nowMs, step: this.#loop.step };
    this.#started[name] = started;
    this.#chronicle.note(name, 0, 'starts', '');
    return started;
  }

  #filesFor(process: SimProcess): ReturnType<Disk['seenBy']> {
    return this.#disk.seenBy(process, () => this.#loop.step);
  }

  #listen({ process, stdout }: Started): ReturnType<typeof listenForInterruption> {
    const hear = (name: string, listener: () => void) => (): void => {
      this.#heard[process.name].push({ name, atMs: this.#loop.nowMs, step: this.#loop.step });
      listener();
    };
    return listenForInterruption(
      {
        onSignal: (name, listener) => process.onSignal(name, hear(name, listener)),
        onStdoutGone: (listener) => stdout.onGone(hear('stdout', listener)),
      },
      process.clock,
    );
  }

  #processesFor(asking: SimProcess): Processes {
    const found = (pid: number): SimProcess | undefined =>
      Object.values(this.#started).find(({ process }) => process.pid === pid)?.process;
    return {
      isAlive: (pid, startedAt) => found(pid)?.alive === true && found(pid)?.startedAt === startedAt,
      signal: (pid, name) => {
        asking.perform('signals', `${pid} ${name}`, () => found(pid)?.signal(name), undefined);
      },
    };
  }

  #openService(process: SimProcess, options: ServiceOptions): ReturnType<typeof createService> {
    return createService({ ...options, clock: process.clock, wire: this.#network.wireOf(process) });
  }

  #escape(error: unknown): void {
    this.#escaped.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    const { main, post } = this.#started;
    const alive = [main, post].find((started) => started?.process.alive === true);
    alive?.process.host.fail(error);
  }

  #factsOf(name: ProcessName): ProcessFacts | undefined {
    const started = this.#started[name];
    if (started === undefined) return undefined;
    const { process, stdout, atMs, step } = started;
    const { end } = process;
    return {
      startedAtMs: atMs,
      startedStep: step,
      end: end && {
        how: end.how,
        code: 'code' in end ? end.code : undefined,
        atMs: end.atMs,
        step: end.step,
      },
      drained: process.host.drained,
      effects: process.effects,
      heard: this.#heard[name],
      lines: stdout.lines,
      annotations: stdout.annotations,
      masked: stdout.masked,
      outputs: name === 'main' ? this.#runner.outputs : new Map(),
    };
  }
}

type ServiceOptions = Parameters<OpenService>[0];

function givenAs(pipeline: LifeSpec['pipelines'][number], index: number): string {
  if (pipeline.given === 'uuid') return pipelineId(index);
  return pipeline.given === 'api' ? pipeline.apiName : pipeline.name;
}

function worldOf(spec: LifeSpec): World {
  const world = createWorld({
    seed: spec.seed,
    ttlSeconds: spec.ttlSeconds,
    ...(spec.local && { backendUrl: LOCAL }),
    minReadIntervalMs: 0,
    scenarios: Object.fromEntries(
      spec.pipelines.map(({ apiName, timeline }) => [apiName, { does: '', timeline }]),
    ),
  });
  // Only the pipelines of this life: whatever else is triggered does not exist.
  world.pipelines.length = 0;
  spec.pipelines.forEach(({ name, apiName }, index) => {
    world.pipelines.push({
      id: pipelineId(index),
      workspaceId: world.workspaces[0]?.id ?? '',
      name,
      apiName,
      active: true,
      scenario: apiName,
      rows: 1,
    });
  });
  return world;
}

/** Runs that somebody else has triggered before: they are in the service like any other. */
function queueEarlier(spec: LifeSpec, world: World): string[] {
  const ids = spec.pipelines.flatMap((pipeline, index) => {
    if (pipeline.earlierMs === null) return [];
    const [workspace] = world.workspaces;
    const job: World['jobs'][number] = {
      id: `0ea41e40-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
      workspaceId: workspace?.id ?? '',
      pipelineId: pipelineId(index),
      createdAt: -pipeline.earlierMs,
      parameters: {
        p_pipeline_id: pipelineId(index),
        p_job_type: 'pipeline_run',
        p_full_resync: false,
        p_reset_target: false,
      },
      timeline: pipeline.timeline,
      heartbeatMs: world.heartbeatMs,
      cancelledAt: null,
      abortedAt: null,
      reads: [],
      patches: [],
      pacedReadAt: null,
      confirmReadsLeft: 0,
      exemptReadsLeft: 0,
    };
    world.jobs.push(job);
    return [job.id];
  });
  return ids;
}

function fileAt(path: string): FileName | undefined {
  if (path === PATHS.state) return 'state';
  if (path === PATHS.output) return 'output';
  if (path === PATHS.summary || path === PATHS.postSummary) return 'summary';
  return path.endsWith('.journal') ? 'journal' : undefined;
}
