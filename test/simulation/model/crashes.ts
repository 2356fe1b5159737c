/** The kinds of crashes and when they happen. */
import type { CrashFact } from './facts.ts';
import type { Loop } from './loop.ts';
import type { Hook, SimProcess } from './process.ts';
import type { Crash, CrashKind, Moment, ProcessName } from './spec.ts';

/** What happens to a process and its job. In a post step, only the signals and the end of stdout apply. */
export interface CrashPlan {
  /** Signals, each with its delay after the crash in milliseconds. */
  readonly signals: Readonly<Record<number, string>>;
  readonly job?: 'cancelled' | 'failure';
  /** The crash affects only this step; other crashes affect every step of the job. */
  readonly isStepAlone?: true;
  /** After this time, the runner reads the files, stops reading stdout, and kills main. */
  readonly givenUpAfterMs?: number;
  readonly losesState?: true;
  /** Main gets no signal and keeps running in parallel with post. */
  readonly isBeside?: true;
  /** Main does nothing from then on but does not exit either. */
  readonly isFrozen?: true;
  readonly isOrphaned?: true;
  readonly skipsPost?: true;
  readonly closesStdout?: true;
}

/** The signals by their delay after SIGINT in milliseconds (official runner, 2.336). */
const LADDER = { 0: 'SIGINT', 7500: 'SIGTERM', 10000: 'SIGKILL' } as const;
const KILL = { 0: 'SIGKILL' } as const;

export const CRASHES = {
  cancel: { job: 'cancelled', signals: LADDER },
  /** The user cancels again a second later. */
  cancel_twice: { job: 'cancelled', signals: { ...LADDER, 1000: 'SIGINT' } },
  step_timeout: { job: 'failure', signals: LADDER, isStepAlone: true },
  /** A background step whose job ends. */
  background: { signals: { 0: 'SIGINT' }, givenUpAfterMs: 7_500, isStepAlone: true },
  sigterm: { job: 'cancelled', signals: { 0: 'SIGTERM' } },
  sighup: { job: 'cancelled', signals: { 0: 'SIGHUP' } },
  kill: { job: 'cancelled', signals: KILL },
  out_of_memory: { job: 'failure', signals: KILL, isStepAlone: true },
  kill_lost: { job: 'cancelled', signals: KILL, losesState: true },
  beside: { job: 'cancelled', signals: {}, isBeside: true },
  /** The runner does not know about the cancellation. */
  beside_lost: { signals: {}, isBeside: true, losesState: true },
  beside_frozen: { job: 'cancelled', signals: {}, isBeside: true, isFrozen: true },
  shutdown: { signals: LADDER, skipsPost: true, closesStdout: true },
  power: { signals: KILL, skipsPost: true },
  stdout: { signals: {}, skipsPost: true, closesStdout: true },
  /** The operating system kills the runner's worker. */
  worker_killed: { signals: {}, isOrphaned: true, skipsPost: true, closesStdout: true },
} as const satisfies Record<string, CrashPlan>;

export const MAIN_CRASHES = Object.keys(CRASHES) as readonly (keyof typeof CRASHES)[];
export const POST_CRASHES = ['cancel', 'sigterm', 'kill', 'stdout'] as const satisfies readonly CrashKind[];

/** A request that is about to be sent, or whose response is about to reach its process. */
export interface RequestPoint {
  readonly at: 'request' | 'response';
  readonly process: SimProcess;
  /** The request's number within its process, from 1. */
  readonly number: number;
  /** The index in the spec of the fault that hits the request; -1 for none. */
  readonly fault: number;
}

type OnCrash = (crash: Pick<Crash, 'on' | 'kind'>) => void;

/**
 * The crashes of an execution.
 * @param onCrash called when a process that is alive crashes
 */
export function createCrashMoments(crashes: readonly Crash[], loop: Loop, onCrash: OnCrash) {
  const crashed: CrashFact[] = [];
  const processes: Partial<Record<ProcessName, SimProcess>> = {};
  const crash: OnCrash = ({ on, kind }) => {
    const target = processes[on];
    // A process that has crashed once is already about to exit.
    if (target?.alive !== true || crashed.some((one) => one.on === on)) return;
    crashed.push({ on, kind, atMs: loop.nowMs, step: loop.step });
    onCrash({ on, kind });
  };
  const hookAt = (process: SimProcess, effect: number, when: Hook['when'], one: Crash): void => {
    const { signals }: CrashPlan = CRASHES[one.kind];
    process.hookAt(effect, {
      // Only a process that exits at once leaves half a write behind.
      when: when === 'torn' && signals !== KILL ? 'after' : when,
      crash: () => crash(one),
      isDue: () => !crashed.some(({ on }) => on === one.on),
    });
  };
  const crashIn = (ms: number, one: Crash): void => {
    loop.firstAt(loop.nowMs + ms, () => crash(one));
  };
  return {
    crashed,
    arm(process: SimProcess): void {
      processes[process.name] = process;
      for (const one of crashes.filter(({ on }) => on === process.name)) {
        if ('effect' in one.at) hookAt(process, one.at.effect, one.at.when, one);
        if ('ms' in one.at) crashIn(one.at.ms, one);
      }
    },
    /** Declares that the next effect of a process is a request or the first byte of a response. */
    requestComesTo: (point: RequestPoint): void => {
      const { process } = point;
      const next = process.effects + 1;
      if (crashed.some(({ on }) => on === process.name)) return;
      for (const one of crashes.filter(({ on }) => on === process.name)) {
        const { at } = one;
        if (isAnchoredTo(point, at)) hookAt(process, next, 'before', one);
        if (point.at !== 'request' || !('fault' in at) || at.fault !== point.fault) continue;
        if ('plusMs' in at) crashIn(at.plusMs, one);
        if ('plus' in at) hookAt(process, next + at.plus, at.when, one);
      }
    },
    crashWithJob: (kind: CrashKind): void => crash({ on: 'main', kind }),
  };
}

/** Whether a crash happens just before the process sends this request or receives its response. */
function isAnchoredTo(point: RequestPoint, at: Moment): boolean {
  if ('before' in at) return at.before === point.at && at.fault === point.fault;
  if ('request' in at) return point.at === 'request' && at.request === point.number;
  return 'response' in at && point.at === 'response' && at.response === point.number;
}
