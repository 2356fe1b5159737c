import type { Disk } from './disk.ts';
import { PATHS, type StruckFact } from './facts.ts';
import type { Loop } from './loop.ts';
import { recordsOf } from './runner-state.ts';
import type { SimProcess } from './sim-process.ts';
import type { LifeSpec, Moment, StrikeKind } from './spec.ts';
import type { Stdout } from './stdout.ts';

/** From SIGINT to SIGTERM, and from there to SIGKILL, in milliseconds (official runner, 2.336). */
const TERM_AFTER_MS = 7_500;
const KILL_AFTER_MS = 10_000;
/** From the end of post to the end of the job. */
const JOB_ENDS_AFTER_MS = 1_000;
/** From the moment the runner turns to post to post's first statement. */
const POST_STARTS_MS = 150;

const ENDS_AT_ONCE: ReadonlySet<string> = new Set(['kill', 'out_of_memory', 'kill_lost', 'power']);

export interface Started {
  readonly process: SimProcess;
  readonly stdout: Stdout;
}

/** What the runner does: starts main, sends signals, reads files, starts post. */
export class Runner {
  readonly struck: StruckFact[] = [];
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
  readonly #processes: Partial<Record<'main' | 'post', Started>> = {};

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
  }

  /** Takes care of a process from its start on. */
  watch(name: 'main' | 'post', started: Started): void {
    this.#processes[name] = started;
    this.#spec.strikes.forEach((strike, index) => {
      if (strike.on === name) this.#arm(strike.at, index, started.process);
    });
    started.process.onEnd(() => {
      if (name === 'main') this.#mainIsGone();
      else this.#jobIsOver();
    });
  }

  /** A fault has hit a request of this process: what was to come with it comes. */
  faultHits(fault: number, process: SimProcess): void {
    this.#spec.strikes.forEach(({ on, at }, index) => {
      if (!('fault' in at) || at.fault !== fault || on !== process.name) return;
      if (this.struck.some((one) => one.index === index)) return;
      const strike = (): void => this.#strike(index);
      if ('plusMs' in at) this.#loop.at(this.#loop.nowMs + at.plusMs, strike);
      else process.blowAt(process.effects + 1 + at.plus, at.when, strike);
    });
  }

  #arm(at: Moment, index: number, process: SimProcess): void {
    const strike = (): void => this.#strike(index);
    const kind = this.#spec.strikes[index]?.kind;
    if ('effect' in at) {
      // Only what ends at once leaves half a write behind.
      const when = at.when === 'torn' && !ENDS_AT_ONCE.has(kind ?? '') ? 'after' : at.when;
      process.blowAt(at.effect, when, strike);
    }
    if ('ms' in at) this.#loop.at(this.#loop.nowMs + at.ms, strike);
  }

  #strike(index: number): void {
    const strike = this.#spec.strikes[index];
    const target = strike && this.#processes[strike.on];
    if (strike === undefined || target === undefined || !target.process.alive) return;
    // What has been struck once is on its way out already.
    if (this.struck.some((one) => one.on === strike.on)) return;
    const { on, kind } = strike;
    const { nowMs: atMs, step } = this.#loop;
    this.struck.push({ on, kind, atMs, step, effect: target.process.effects, index });
    if (on === 'main') this.#strikeMain(kind, target);
    else this.#strikePost(kind, target);
  }

  #strikeMain(kind: StrikeKind, { process, stdout }: Started): void {
    switch (kind) {
      case 'cancel':
        this.#jobStatus = 'cancelled';
        this.#ladder(process);
        return;
      case 'cancel_twice':
        this.#jobStatus = 'cancelled';
        this.#ladder(process);
        this.#loop.at(this.#loop.nowMs + 1_000, () => process.signal('SIGINT'));
        return;
      case 'step_timeout':
        this.#jobStatus = 'failure';
        this.#ladder(process);
        return;
      case 'background':
        process.signal('SIGINT');
        this.#loop.at(this.#loop.nowMs + TERM_AFTER_MS, () => {
          this.#readFiles();
          process.signal('SIGKILL');
        });
        return;
      case 'sigterm':
      case 'sighup':
        this.#jobStatus = 'cancelled';
        process.signal(kind === 'sigterm' ? 'SIGTERM' : 'SIGHUP');
        return;
      case 'kill':
        this.#jobStatus = 'cancelled';
        process.signal('SIGKILL');
        return;
      case 'out_of_memory':
        this.#jobStatus = 'failure';
        process.signal('SIGKILL');
        return;
      case 'kill_lost':
        this.#jobStatus = 'cancelled';
        this.#stateIsLost = true;
        process.signal('SIGKILL');
        return;
      case 'beside':
      case 'beside_lost':
      case 'beside_frozen':
        if (kind !== 'beside_lost') this.#jobStatus = 'cancelled';
        this.#stateIsLost = kind === 'beside_lost';
        process.frozen = kind === 'beside_frozen';
        this.#readFiles();
        this.#beginPost(POST_STARTS_MS);
        return;
      case 'shutdown':
        this.#post = 'skipped';
        stdout.close();
        this.#ladder(process);
        return;
      case 'power':
        this.#post = 'skipped';
        process.signal('SIGKILL');
        return;
      case 'stdout':
        this.#post = 'skipped';
        stdout.close();
        return;
    }
  }

  #strikePost(kind: StrikeKind, { process, stdout }: Started): void {
    if (kind === 'kill') process.signal('SIGKILL');
    else if (kind === 'stdout') stdout.close();
    else if (kind === 'sigterm') process.signal('SIGTERM');
    else this.#ladder(process);
  }

  #ladder(process: SimProcess): void {
    const begun = this.#loop.nowMs;
    process.signal('SIGINT');
    this.#loop.at(begun + TERM_AFTER_MS, () => process.signal('SIGTERM'));
    this.#loop.at(begun + KILL_AFTER_MS, () => process.signal('SIGKILL'));
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
