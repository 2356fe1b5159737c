/** What a scenario leaves behind, for the checker and the traces. */
import type { World } from '../../../sandbox/model/index.ts';
import type { RequestFact } from './network/request-fact.ts';
import type { CrashKind, ProcessName, SingleSpec } from './spec.ts';

export interface Line {
  readonly text: string;
  readonly step: number;
  readonly atMs: number;
}

/** A line as the runner receives it: text, or one of its commands. */
export type Received = Pick<Line, 'text' | 'atMs'>;

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  readonly step: number;
}

export interface WriteFact {
  readonly path: string;
  readonly text: string;
  readonly failed: boolean;
  readonly step: number;
  readonly process: string;
  readonly effect: number;
}

/** A write that blocked its process: `untilMs` is when it returned, unless the process was killed before. */
export interface StallFact {
  readonly process: string;
  readonly path: string;
  readonly text: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

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
}

/** What an execution left behind that was the only one, with the log of its scenario. */
export type SingleFacts = Facts & Pick<ScenarioFacts, 'log'>;

/** All that an execution left behind: what the checker decides by. */
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
  /** The state of main and the status of the job, as post got them. */
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
