import type { Facts } from '../model/facts.ts';
import type { RequestFact } from '../model/network/request-fact.ts';
import type { Observed } from './observed.ts';
import type { Policy } from './policy.ts';

/** A run as the service keeps it. */
export type Job = Facts['world']['jobs'][number];

/** A request with what came of it. */
export interface ObservedRequest {
  readonly request: RequestFact;
  readonly observed: Observed;
  /** When it was observed, as the event and the instant; Infinity if never. */
  readonly step: number;
  readonly atMs: number;
}

/** Why main stopped waiting for a run. */
export interface Stopped {
  readonly why: 'interrupted' | 'timeout' | 'queue_timeout' | 'fail_fast';
  readonly atMs: number;
  readonly step: number;
  /** The pipelines whose runs failed in that event, for `fail_fast`. */
  readonly of?: readonly string[];
}

/** What main knew of a run when it was over for main. */
export type Knowledge =
  /** There surely is no run. */
  | { readonly is: 'none' }
  /** A trigger's fate is unknown: its answer was lost, or had not come. */
  | { readonly is: 'doubt'; readonly pending: boolean }
  | { readonly is: 'known'; readonly id: string; readonly atMs: number; readonly step: number };

/** The history of one run, as far as somebody can tell it who sees everything but the code. */
export interface RunHistory {
  readonly pipeline: {
    readonly id: string;
    readonly name: string;
    /** A run of it that was there before. */
    readonly earlier: string | undefined;
  };
  /** Every run that the service queued for it. */
  readonly jobs: readonly Job[];
  readonly triggers: readonly ObservedRequest[];
  readonly reads: readonly ObservedRequest[];
  readonly cancels: readonly ObservedRequest[];
  readonly knowledge: Knowledge;
  /** The first terminal row of the run that main heard of. */
  readonly ended: (ObservedRequest & { readonly status: string }) | undefined;
  readonly stop: Stopped | undefined;
  /** The stop came so close to something else that either order is right. */
  readonly isTie: boolean;
  /** When contact was lost: from this event on it may be, and it must be. */
  readonly lost: { readonly may: boolean; readonly must: boolean; readonly step: number; readonly atMs: number };
}

export interface History {
  readonly facts: Facts;
  readonly policy: Policy;
  readonly observedRequests: readonly ObservedRequest[];
  /** Main's first interruption, if it came before the verdict. */
  readonly interrupted: { readonly atMs: number; readonly step: number; readonly name: string } | undefined;
  /** The event in which main came to its verdict. */
  readonly verdictStep: number;
  /** Main ended by itself, which tells its user of everything. */
  readonly exited: boolean;
  readonly runs: readonly RunHistory[];
}

/** A history before its runs are told. */
export type Outline = Omit<History, 'runs'>;

/** The runner started post without main's state. */
export function hasLostState({ postEnv }: Facts): boolean {
  return !Object.keys(postEnv).some((name) => name.startsWith('STATE_'));
}
