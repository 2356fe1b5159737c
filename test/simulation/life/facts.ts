import type { World } from '../../../sandbox/model/index.ts';
import type { WriteFact } from './disk.ts';
import type { RequestFact } from './network/request-fact.ts';
import type { LifeSpec, ProcessName, StrikeKind } from './spec.ts';
import type { Annotation, Line } from './stdout.ts';

/** A strike that came, and when. */
export interface StruckFact {
  readonly on: ProcessName;
  readonly kind: StrikeKind;
  readonly atMs: number;
  readonly step: number;
  /** How many effects its process had had. */
  readonly effect: number;
  /** Its place in the spec. */
  readonly index: number;
}

export interface SignalFact {
  readonly name: string;
  readonly atMs: number;
  readonly step: number;
}

/** What can be seen of a process from outside. */
export interface ProcessFacts {
  readonly startedAtMs: number;
  readonly startedStep: number;
  readonly end:
    | {
        readonly how: 'exited' | 'killed' | 'drained';
        readonly code: number | undefined;
        readonly atMs: number;
        readonly step: number;
      }
    | undefined;
  readonly drained: boolean;
  readonly effects: number;
  /** Signals that it heard, the loss of stdout among them. */
  readonly heard: readonly SignalFact[];
  readonly lines: readonly Line[];
  readonly annotations: readonly Annotation[];
  readonly masked: readonly { readonly secret: string; readonly step: number }[];
  /** As its runner read them when it was gone. */
  readonly outputs: ReadonlyMap<string, string>;
}

/** All that a life left behind: what the judge decides by. */
export interface Facts {
  readonly spec: LifeSpec;
  readonly world: World;
  /** Ids of runs that were there before the life began. */
  readonly earlier: readonly string[];
  readonly requests: readonly RequestFact[];
  readonly writes: readonly WriteFact[];
  readonly files: ReadonlyMap<string, string>;
  readonly main: ProcessFacts;
  readonly post: ProcessFacts | undefined;
  readonly struck: readonly StruckFact[];
  /** When the runner read main's files; undefined while it has not. */
  readonly filesReadStep: number | undefined;
  /** What post was told of the state and of the job. */
  readonly postEnv: Readonly<Record<string, string>>;
  /** Ended when nothing was left to happen, or given up by the clock. */
  readonly ended: 'over' | 'too_long';
  readonly endMs: number;
  /** A number for the whole log. */
  readonly digest: () => number;
  readonly log: readonly string[];
  /** Rejections that nobody handled, exceptions that nobody caught. */
  readonly escaped: readonly string[];
}

export const PATHS = {
  state: '/runner/files/state_main',
  output: '/runner/files/output_main',
  summary: '/runner/files/summary_main',
  postState: '/runner/files/state_post',
  postSummary: '/runner/files/summary_post',
  temp: '/runner/temp',
} as const;
