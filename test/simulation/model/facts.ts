/** What a scenario leaves behind, for the checker and the traces. */
import type { World } from '../../../sandbox/model/index.ts';
import type { RequestFact } from './network/request-fact.ts';
import type { CrashKind, ProcessName, SingleSpec } from './spec.ts';

/** An instant and the number of preceding events. */
export interface Instant {
  readonly atMs: number;
  readonly step: number;
}

export interface Line extends Instant {
  readonly text: string;
}

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

/** A write that blocked its process until `untilMs`, when the write returned, unless a kill came first. */
export interface StallFact extends Pick<WriteFact, 'path' | 'text' | 'process'> {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface CrashFact extends Instant {
  readonly on: ProcessName;
  readonly kind: CrashKind;
  /** How many effects its process had before the crash. */
  readonly effect: number;
  /** The crash's index in the spec; -1 if this step crashed because another step of the job did. */
  readonly index: number;
}

export interface SignalFact extends Instant {
  readonly name: string;
}

/** What a process prints, as its runner reads it. */
export interface Printed {
  /** Lines that are not commands of the action; none of them may be a command. */
  readonly lines: readonly Line[];
  /** All lines in order, including commands; a mask hides its own secret. */
  readonly received: readonly Pick<Line, 'text' | 'atMs'>[];
  readonly annotations: readonly Annotation[];
  readonly masked: readonly { readonly secret: string; readonly step: number }[];
}

/** Externally visible facts about a process. */
export interface ProcessFacts extends Printed {
  readonly startedAtMs: number;
  readonly startedStep: number;
  readonly end:
    | (Instant & { readonly how: 'exited' | 'killed' | 'drained'; readonly code: number | undefined })
    | undefined;
  readonly drained: boolean;
  readonly effects: number;
  /** Signals that the process observed, including the loss of stdout. */
  readonly observed: readonly SignalFact[];
  /** The files as the runner read them after the process exited. */
  readonly outputs: ReadonlyMap<string, string>;
}

export interface ScenarioFacts {
  /** The facts of each execution, in order; the checker examines each one separately. */
  readonly executions: readonly Facts[];
  readonly log: readonly string[];
}

/** What the only execution of a scenario left behind, with the log of the scenario. */
export type SingleFacts = Facts & Pick<ScenarioFacts, 'log'>;

/** What determines the environment of an execution. */
export interface Surrounded {
  readonly spec: SingleSpec;
  readonly paths: Paths;
  /** The ids of its pipelines, in order. */
  readonly pipelineIds: readonly string[];
  /** Ids of runs that were queued before the scenario began. */
  readonly earlier: readonly string[];
}

/** Everything that an execution left behind, on which the checker bases its decisions. */
export interface Facts extends Surrounded {
  /** Whether other executions ran on the same machine. */
  readonly hasNeighbours: boolean;
  /** The service, with the runs of these pipelines only. */
  readonly world: World;
  readonly requests: readonly RequestFact[];
  readonly writes: readonly WriteFact[];
  readonly stalls: readonly StallFact[];
  readonly files: ReadonlyMap<string, string>;
  readonly main: ProcessFacts;
  readonly post: ProcessFacts | undefined;
  readonly crashed: readonly CrashFact[];
  /** Main's job summary as the runner read it, and post's as it is at the end. */
  readonly summaries: { readonly main: string; readonly post: string };
  /** When the runner read main's files; undefined if it never did. */
  readonly filesReadStep: number | undefined;
  /** Main's state and the status of the job, as post received them. */
  readonly postEnv: Readonly<Record<string, string>>;
  /** Whether the scenario ended because nothing was left to happen or because 48 hours had passed. */
  readonly ended: 'over' | 'too_long';
  readonly endMs: number;
  /** Rejections and exceptions that escaped from any execution, because the culprit is unknown. */
  readonly escaped: readonly string[];
}

/** The files that a runner creates for an execution. `temp` belongs to the machine and is shared by all executions. */
export type Paths = ReturnType<typeof pathsOf>;

/** The files of an execution, given its index in the scenario. */
export function pathsOf(execution: number) {
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
