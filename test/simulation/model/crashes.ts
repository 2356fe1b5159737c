/** The kinds of crashes, and the moments at which they come. */
import type { CrashFact } from './facts.ts';
import type { Loop } from './loop.ts';
import type { Hook, SimProcess } from './process.ts';
import type { Crash, CrashKind, Moment, ProcessName } from './spec.ts';

/** What happens to a process and to its job. A post step meets only the signals and the end of stdout. */
export interface CrashPlan {
  /** Signals, each so many milliseconds after the crash. */
  readonly signals: readonly (readonly [afterMs: number, name: string])[];
  /** What the job comes to. */
  readonly job?: 'cancelled' | 'failure';
  /** Only this step is affected; all others affect every step of the job. */
  readonly isStepAlone?: true;
  /** The runner reads the files then, reads no further line, and kills main. */
  readonly givenUpAfterMs?: number;
  readonly losesState?: true;
  /** Main gets no signal, and runs on beside post. */
  readonly isBeside?: true;
  /** Main does nothing from then on, and does not end either. */
  readonly isFrozen?: true;
  /** Main gets another parent. */
  readonly isOrphaned?: true;
  readonly skipsPost?: true;
  readonly closesStdout?: true;
}

/** From SIGINT to SIGTERM, and from there to SIGKILL, in milliseconds (official runner, 2.336). */
const LADDER = [
  [0, 'SIGINT'],
  [7_500, 'SIGTERM'],
  [10_000, 'SIGKILL'],
] as const;
const KILL = [[0, 'SIGKILL']] as const;

export const CRASHES = {
  cancel: { job: 'cancelled', signals: LADDER },
  /** The user clicks again a second later. */
  cancel_twice: { job: 'cancelled', signals: [...LADDER, [1_000, 'SIGINT']] },
  step_timeout: { job: 'failure', signals: LADDER, isStepAlone: true },
  /** A step in the background when its job ends. */
  background: { signals: [[0, 'SIGINT']], givenUpAfterMs: 7_500, isStepAlone: true },
  sigterm: { job: 'cancelled', signals: [[0, 'SIGTERM']] },
  sighup: { job: 'cancelled', signals: [[0, 'SIGHUP']] },
  kill: { job: 'cancelled', signals: KILL },
  /** The system kills main. */
  out_of_memory: { job: 'failure', signals: KILL, isStepAlone: true },
  kill_lost: { job: 'cancelled', signals: KILL, losesState: true },
  beside: { job: 'cancelled', signals: [], isBeside: true },
  /** The runner knows nothing of a cancel. */
  beside_lost: { signals: [], isBeside: true, losesState: true },
  beside_frozen: { job: 'cancelled', signals: [], isBeside: true, isFrozen: true },
  shutdown: { signals: LADDER, skipsPost: true, closesStdout: true },
  power: { signals: KILL, skipsPost: true },
  stdout: { signals: [], skipsPost: true, closesStdout: true },
  /** The runner's worker is killed. */
  worker_killed: { signals: [], isOrphaned: true, skipsPost: true, closesStdout: true },
} as const satisfies Record<string, CrashPlan>;

export const MAIN_CRASHES = Object.keys(CRASHES) as readonly (keyof typeof CRASHES)[];
export const POST_CRASHES = ['cancel', 'sigterm', 'kill', 'stdout'] as const satisfies readonly CrashKind[];

/** A request that is about to be sent, or whose response is about to reach its process. */
export interface RequestPoint {
  readonly at: 'request' | 'response';
  readonly process: SimProcess;
  /** The how-manieth request of its process it is, from 1. */
  readonly number: number;
  /** The place in the spec of the fault that hits it; -1 for none. */
  readonly fault: number;
}

/** Triggers the crashes of an execution at their moments. */
export class CrashMoments {
  readonly crashed: CrashFact[] = [];
  readonly #crashes: readonly Crash[];
  readonly #loop: Loop;
  readonly #processes: Partial<Record<ProcessName, SimProcess>> = {};
  readonly #onCrash: (crash: Pick<Crash, 'on' | 'kind'>) => void;

  /** @param onCrash called when a process that is alive crashes */
  constructor(crashes: readonly Crash[], loop: Loop, onCrash: (crash: Pick<Crash, 'on' | 'kind'>) => void) {
    this.#crashes = crashes;
    this.#loop = loop;
    this.#onCrash = onCrash;
  }

  /** A process begins: from now on it can crash. */
  arm(process: SimProcess): void {
    this.#processes[process.name] = process;
    for (const [index, { on, at, kind }] of this.#crashes.entries()) {
      if (on !== process.name) continue;
      if ('effect' in at) process.hookAt(at.effect, this.#hook(index, whenOf(at.when, kind)));
      if ('ms' in at) this.#loop.firstAt(this.#loop.nowMs + at.ms, () => this.#crash(index));
    }
  }

  /** The next effect of a process is a request, or the first byte of a response. */
  requestComesTo(point: RequestPoint): void {
    const { process } = point;
    const next = process.effects + 1;
    for (const [index, { on, at, kind }] of this.#crashes.entries()) {
      if (on !== process.name || this.crashed.some((one) => one.index === index)) continue;
      if (isAnchoredTo(point, at)) process.hookAt(next, this.#hook(index, 'before'));
      if (point.at !== 'request' || !('fault' in at) || at.fault !== point.fault) continue;
      if ('plusMs' in at) this.#loop.firstAt(this.#loop.nowMs + at.plusMs, () => this.#crash(index));
      if ('plus' in at) process.hookAt(next + at.plus, this.#hook(index, whenOf(at.when, kind)));
    }
  }

  /** The whole job crashes, and this step with it. */
  crashWithJob(kind: CrashKind): void {
    const main = this.#processes.main;
    if (main?.alive !== true || this.#hasCrashed('main')) return;
    this.#push({ on: 'main', kind }, main, -1);
  }

  #hook(index: number, when: Hook['when']): Hook {
    const on = this.#crashes[index]?.on;
    return { when, crash: () => this.#crash(index), isDue: () => !this.#hasCrashed(on) };
  }

  #crash(index: number): void {
    const crash = this.#crashes[index];
    const target = crash && this.#processes[crash.on];
    // A process that has crashed once is about to end.
    if (crash === undefined || target?.alive !== true || this.#hasCrashed(crash.on)) return;
    this.#push(crash, target, index);
  }

  #hasCrashed(on: ProcessName | undefined): boolean {
    return this.crashed.some((one) => one.on === on);
  }

  #push({ on, kind }: Pick<Crash, 'on' | 'kind'>, target: SimProcess, index: number): void {
    const { nowMs: atMs, step } = this.#loop;
    this.crashed.push({ on, kind, atMs, step, effect: target.effects, index });
    this.#onCrash({ on, kind });
  }
}

/** Whether a crash comes just before this request is sent, or just before its response arrives. */
function isAnchoredTo(point: RequestPoint, at: Moment): boolean {
  if ('before' in at) return at.before === point.at && at.fault === point.fault;
  if ('request' in at) return point.at === 'request' && at.request === point.number;
  return 'response' in at && point.at === 'response' && at.response === point.number;
}

/** Only a process that ends at once leaves half a write behind. */
function whenOf(when: Hook['when'], kind: CrashKind): Hook['when'] {
  const { signals }: CrashPlan = CRASHES[kind];
  return when === 'torn' && signals !== KILL ? 'after' : when;
}
