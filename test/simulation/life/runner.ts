import type { Disk } from './disk.ts';
import { PATHS, type StruckFact } from './facts.ts';
import type { Loop } from './loop.ts';
import type { Started } from './machine.ts';
import { recordsOf } from './runner-state.ts';
import type { SimProcess } from './sim-process.ts';
import type { LifeSpec, ProcessName, Strike } from './spec.ts';
import { strikeMain, strikePost } from './strike-kinds.ts';
import { StrikeMoments } from './strike-moments.ts';

/** From the end of post to the end of the job. */
const JOB_ENDS_AFTER_MS = 1_000;
/** From the moment the runner turns to post to post's first statement. */
const POST_STARTS_MS = 150;

/** What the runner does: watches over its processes, reads the files, starts post. */
export class Runner {
  /** What the main step put out, as read when it was over. */
  outputs = new Map<string, string>();
  postEnv: Record<string, string> = {};
  filesReadStep: number | undefined;
  #jobStatus: string;
  #post: 'to_come' | 'begun' | 'skipped' = 'to_come';
  #stateIsLost = false;
  readonly #spec: LifeSpec;
  readonly #loop: Loop;
  readonly #disk: Disk;
  readonly #start: (env: Record<string, string>) => Started;
  readonly #processes: Partial<Record<ProcessName, Started>> = {};
  readonly #moments: StrikeMoments;

  constructor(parts: {
    readonly spec: LifeSpec;
    readonly loop: Loop;
    readonly disk: Disk;
    readonly startPost: (env: Record<string, string>) => Started;
  }) {
    this.#spec = parts.spec;
    this.#loop = parts.loop;
    this.#disk = parts.disk;
    this.#start = parts.startPost;
    this.#jobStatus = parts.spec.runner.jobStatusAtEnd;
    this.#moments = new StrikeMoments(parts.spec.strikes, parts.loop, (strike) => this.#strike(strike));
  }

  get struck(): readonly StruckFact[] {
    return this.#moments.struck;
  }

  /** Takes care of a process from its start on. */
  watch(name: ProcessName, started: Started): void {
    this.#processes[name] = started;
    this.#moments.arm(started.process);
    started.process.onEnd(() => {
      if (name === 'main') this.#mainIsGone();
      else this.#jobIsOver();
    });
  }

  /** A fault has hit a request of this process: what was to come with it comes. */
  faultHits(fault: number, process: SimProcess): void {
    this.#moments.faultHits(fault, process);
  }

  #strike({ on, kind }: Strike): void {
    const target = this.#processes[on];
    if (target === undefined) return;
    if (on === 'post') {
      strikePost(kind, target, this.#loop);
      return;
    }
    strikeMain(kind, target, this.#loop, {
      setJobStatus: (status) => {
        this.#jobStatus = status;
      },
      loseState: () => {
        this.#stateIsLost = true;
      },
      skipPost: () => {
        this.#post = 'skipped';
      },
      readFiles: () => this.#readFiles(),
      beginPostBeside: () => {
        this.#readFiles();
        this.#beginPost(POST_STARTS_MS);
      },
    });
  }

  #mainIsGone(): void {
    this.#readFiles();
    this.#beginPost(POST_STARTS_MS + this.#spec.runner.postAfterMs);
  }

  /** Whatever the job has left running is ended with it. */
  #jobIsOver(): void {
    this.#loop.at(this.#loop.nowMs + JOB_ENDS_AFTER_MS, () =>
      this.#processes.main?.process.signal('SIGKILL'),
    );
  }

  /** Once: what is written to them later is lost. */
  #readFiles(): void {
    if (this.filesReadStep !== undefined) return;
    this.filesReadStep = this.#loop.step;
    this.outputs = recordsOf(this.#disk.read(PATHS.output) ?? '').records;
    const state = this.#stateIsLost ? new Map<string, string>() : this.#state();
    for (const [key, value] of state) this.postEnv[`STATE_${key}`] = value;
  }

  #state(): Map<string, string> {
    return recordsOf(this.#disk.read(PATHS.state) ?? '').records;
  }

  #beginPost(inMs: number): void {
    if (this.#post !== 'to_come') return;
    this.#post = 'begun';
    this.#loop.at(this.#loop.nowMs + inMs, () => {
      if (this.#stateIsLost) this.#disk.files.delete(PATHS.state);
      this.postEnv['INPUT_INTERNAL-JOB-STATUS'] = this.#jobStatus;
      this.watch('post', this.#start(this.postEnv));
    });
  }
}
