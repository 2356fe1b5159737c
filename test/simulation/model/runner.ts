import { crashMain, crashPost } from './crash-kinds.ts';
import { CrashMoments, type RequestPoint } from './crash-moments.ts';
import type { Disk } from './disk.ts';
import type { CrashFact, Paths } from './facts.ts';
import type { Job, JobStep } from './job.ts';
import type { Loop } from './loop.ts';
import type { Started } from './machine.ts';
import { recordsOf } from './runner-state.ts';
import type { Crash, CrashKind, ProcessName, SingleSpec } from './spec.ts';

/** From the moment the runner turns to post to post's first statement. */
const POST_STARTS_MS = 150;

/** Strikes on one step alone; all others come to the whole job. */
const STEP_ALONE: ReadonlySet<CrashKind> = new Set(['step_timeout', 'out_of_memory', 'background']);

/** What the runner does with one step: watches over its processes, reads the files, starts post. */
export class Runner implements JobStep {
  /** What the main step put out, as read when it was over. */
  outputs = new Map<string, string>();
  /** The job summary of the main step, as read when it was over. */
  summary = '';
  postEnv: Record<string, string> = {};
  filesReadStep: number | undefined;
  #stateIsLost = false;
  readonly #spec: SingleSpec;
  readonly #paths: Paths;
  readonly #loop: Loop;
  readonly #disk: Disk;
  readonly #job: Job;
  readonly #startMain: () => Started;
  readonly #startPost: (env: Record<string, string>) => Started;
  readonly #processes: Partial<Record<ProcessName, Started>> = {};
  readonly #moments: CrashMoments;

  constructor(parts: {
    readonly spec: SingleSpec;
    readonly paths: Paths;
    readonly loop: Loop;
    readonly disk: Disk;
    readonly job: Job;
    /** Starts main, after `watch` has been told of it. */
    readonly startMain: (watch: (started: Started) => void) => Started;
    readonly startPost: (env: Record<string, string>) => Started;
  }) {
    this.#spec = parts.spec;
    this.#paths = parts.paths;
    this.#loop = parts.loop;
    this.#disk = parts.disk;
    this.#job = parts.job;
    this.#startMain = () => parts.startMain((started) => this.#watch('main', started));
    this.#startPost = parts.startPost;
    this.#moments = new CrashMoments(parts.spec.crashes, parts.loop, (crash) => this.#crash(crash));
  }

  get crashed(): readonly CrashFact[] {
    return this.#moments.crashed;
  }

  begin(): void {
    this.#startMain();
  }

  beginPost(onGone: () => void): void {
    if (this.#stateIsLost) this.#disk.files.delete(this.#paths.state);
    this.postEnv['INPUT_INTERNAL-JOB-STATUS'] = this.#job.status ?? this.#spec.runner.jobStatusAtEnd;
    const started = this.#startPost(this.postEnv);
    this.#watch('post', started);
    started.process.onEnd(onGone);
  }

  crashWithJob(kind: CrashKind): void {
    this.#moments.crashWithJob(kind);
  }

  cleanUp(): void {
    this.#processes.main?.process.signal('SIGKILL');
  }

  /** A request of one of its processes is about to be sent, or answered. */
  requestComesTo(point: RequestPoint): void {
    this.#moments.requestComesTo(point);
  }

  /** Takes care of a process from its start on. */
  #watch(name: ProcessName, started: Started): void {
    this.#processes[name] = started;
    this.#moments.arm(started.process);
    if (name === 'main') started.process.onEnd(() => this.#mainIsGone());
  }

  #crash({ on, kind }: Pick<Crash, 'on' | 'kind'>): void {
    const target = this.#processes[on];
    if (target === undefined) return;
    if (on === 'post') {
      crashPost(kind, target, this.#loop);
      return;
    }
    crashMain(kind, target, this.#loop, {
      setJobStatus: (status) => {
        this.#job.status = status;
      },
      loseState: () => {
        this.#stateIsLost = true;
      },
      skipPost: () => this.#job.skipPosts(),
      readFiles: () => this.#readFiles(),
      beginPostBeside: () => {
        this.#readFiles();
        this.#job.mainIsOver(this, POST_STARTS_MS);
      },
    });
    if (!STEP_ALONE.has(kind)) this.#job.crashOthers(this, kind);
  }

  #mainIsGone(): void {
    this.#readFiles();
    this.#job.mainIsOver(this, POST_STARTS_MS + this.#spec.runner.postAfterMs);
  }

  /** Once: what is written to them later is lost. */
  #readFiles(): void {
    if (this.filesReadStep !== undefined) return;
    this.filesReadStep = this.#loop.step;
    this.outputs = recordsOf(this.#disk.read(this.#paths.output) ?? '').records;
    this.summary = this.#disk.read(this.#paths.summary) ?? '';
    const state = this.#stateIsLost ? new Map<string, string>() : this.#state();
    for (const [key, value] of state) this.postEnv[`STATE_${key}`] = value;
  }

  #state(): Map<string, string> {
    return recordsOf(this.#disk.read(this.#paths.state) ?? '').records;
  }
}
