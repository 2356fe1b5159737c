/** A job: its status, its steps in order, and its post steps in reverse order. */
import type { Loop } from './loop.ts';
import type { CrashKind } from './spec.ts';

/** A step of a job, as the runner of the job handles it. */
export interface JobStep {
  readonly begin: () => void;
  /** Starts the post process, and calls back after it exits. */
  readonly beginPost: (onGone: () => void) => void;
  /** Crashes the step along with the whole job, including its main process if that is running. */
  readonly crashWithJob: (kind: CrashKind) => void;
  readonly cleanUp: () => void;
}

/** From the end of the last post step to the end of the job, in milliseconds. */
const JOB_ENDS_AFTER_MS = 1_000;

export class Job {
  /** Undefined until a crash sets it. */
  status: string | undefined;
  #skipsPosts = false;
  readonly #loop: Loop;
  readonly #steps: JobStep[] = [];
  readonly #toBegin: JobStep[] = [];
  /** Steps whose main process, from the runner's point of view, has not ended. */
  readonly #open = new Set<JobStep>();
  readonly #posts: { readonly step: JobStep; readonly inMs: number }[] = [];

  constructor(loop: Loop) {
    this.#loop = loop;
  }

  /** Adds a step that starts at an instant or, if none is given, after the preceding step ends. */
  add(step: JobStep, startMs: number | undefined): void {
    this.#steps.push(step);
    this.#open.add(step);
    if (startMs === undefined) this.#toBegin.push(step);
    else this.#loop.at(startMs, () => this.#skipsPosts || step.begin());
  }

  crash(kind: CrashKind): void {
    for (const step of this.#steps) step.crashWithJob(kind);
  }

  /** Simulates the runner's death: no post step starts, and abandoned main processes end with their machine. */
  skipPosts(): void {
    this.#skipsPosts = true;
    this.#endSoon(this.#posts.splice(0).map(({ step }) => step));
  }

  /** From the runner's point of view, a step's main process has ended. Its post step starts at least `inMs` later. */
  mainHasEnded(step: JobStep, inMs: number): void {
    if (!this.#open.delete(step)) return;
    this.#posts.push({ step, inMs });
    const next = this.#toBegin.shift();
    if (next !== undefined && this.status !== 'cancelled' && !this.#skipsPosts) {
      next.begin();
      return;
    }
    // Steps that never started have no post step.
    for (const never of next === undefined ? [] : [next, ...this.#toBegin.splice(0)]) this.#open.delete(never);
    if (this.#open.size === 0) this.#nextPost();
  }

  #nextPost(): void {
    const next = this.#posts.pop();
    if (next === undefined || this.#skipsPosts) return;
    this.#loop.at(this.#loop.nowMs + next.inMs, () =>
      next.step.beginPost(() => (this.#posts.length > 0 ? this.#nextPost() : this.#endSoon(this.#steps))),
    );
  }

  #endSoon(steps: readonly JobStep[]): void {
    this.#loop.at(this.#loop.nowMs + JOB_ENDS_AFTER_MS, () => {
      for (const step of steps) step.cleanUp();
    });
  }
}
