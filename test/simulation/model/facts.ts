import type { World } from '../../../sandbox/model/index.ts';
import type { StallFact, WriteFact } from './disk.ts';
import type { RequestFact } from './network/request-fact.ts';
import type { CrashKind, ProcessName, SingleSpec } from './spec.ts';
import type { Annotation, Line, Received } from './stdout.ts';

/** A crash that came, and when. */
export interface CrashFact {
  readonly on: ProcessName;
  readonly kind: CrashKind;
  readonly atMs: number;
  readonly step: number;
  /** How many effects its process had had. */
  readonly effect: number;
  /** Its place in the spec; -1 where another step of the job was crashed, and this one with it. */
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
  /** Signals that it observed, the loss of stdout among them. */
  readonly observed: readonly SignalFact[];
  readonly lines: readonly Line[];
  /** Everything that its runner received on stdout, in order. */
  readonly received: readonly Received[];
  readonly annotations: readonly Annotation[];
  readonly masked: readonly { readonly secret: string; readonly step: number }[];
  /** As its runner read them when it was gone. */
  readonly outputs: ReadonlyMap<string, string>;
}

/** All that a scenario left behind. */
export interface ScenarioFacts {
  /** One for each execution, in their order; each is checked by itself. */
  readonly executions: readonly Facts[];
  readonly log: readonly string[];
  /** A number for the whole log. */
  readonly digest: () => number;
}

/** What an execution left behind that was the only one, with the log of its scenario. */
export type SingleFacts = Facts & Pick<ScenarioFacts, 'log' | 'digest'>;

/** All that an execution left behind: what the check decides by. */
export interface Facts {
  readonly spec: SingleSpec;
  /** Other executions ran on the same machine. */
  readonly hasNeighbours: boolean;
  readonly paths: Paths;
  /** The ids of its pipelines, in their order. */
  readonly pipelineIds: readonly string[];
  /** The service, with the runs of these pipelines alone. */
  readonly world: World;
  /** Ids of runs that were there before the scenario began. */
  readonly earlier: readonly string[];
  readonly requests: readonly RequestFact[];
  readonly writes: readonly WriteFact[];
  readonly stalls: readonly StallFact[];
  readonly files: ReadonlyMap<string, string>;
  readonly main: ProcessFacts;
  readonly post: ProcessFacts | undefined;
  readonly crashed: readonly CrashFact[];
  /** Main's job summary as the runner read it, and post's as it is at the end. */
  readonly summaries: { readonly main: string; readonly post: string };
  /** When the runner read main's files; undefined while it has not. */
  readonly filesReadStep: number | undefined;
  /** What post was told of the state and of the job. */
  readonly postEnv: Readonly<Record<string, string>>;
  /** Ended when nothing was left to happen, or given up by the clock. */
  readonly ended: 'over' | 'too_long';
  readonly endMs: number;
  /** Rejections and exceptions that escaped, from any execution: which one is at fault cannot be known. */
  readonly escaped: readonly string[];
}

/** The files that a runner hands to an execution. `temp` is the machine's: all executions share it. */
export interface Paths {
  readonly state: string;
  readonly output: string;
  readonly summary: string;
  readonly postState: string;
  readonly postSummary: string;
  readonly temp: string;
}

/** The files of an execution, by its place in the scenario. */
export function pathsOf(execution: number): Paths {
  const folder = execution === 0 ? '/runner/files' : `/runner/files-${execution + 1}`;
  return {
    state: `${folder}/state_main`,
    output: `${folder}/output_main`,
    summary: `${folder}/summary_main`,
    postState: `${folder}/state_post`,
    postSummary: `${folder}/summary_post`,
    temp: '/runner/temp',
  };
}

/** The files of the first execution. */
export const PATHS = pathsOf(0);
