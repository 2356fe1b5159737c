/** What a scenario leaves behind, for the checker and the traces. */
import type { World } from '../../../sandbox/model/index.ts';
import type { RequestFact } from './network/request-fact.ts';
import type { CrashKind, ProcessName, SingleSpec } from './spec.ts';

/** An instant, and the number of events before it. */
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

/** A write that blocked its process: `untilMs` is when it returned, unless the process was killed before. */
export interface StallFact extends Pick<WriteFact, 'path' | 'text' | 'process'> {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface CrashFact extends Instant {
  readonly on: ProcessName;
  readonly kind: CrashKind;
  /** How many effects its process had had. */
  readonly effect: number;
  /** Its place in the spec; -1 if another step of the job crashed, and this one with it. */
  readonly index: number;
}

export interface SignalFact extends Instant {
  readonly name: string;
}

/** What a process prints, as its runner reads it. */
export interface Printed {
  /** Lines that are not commands of the action: no command may be among them. */
  readonly lines: readonly Line[];
  /** Everything, in order, commands included; a mask hides its own secret. */
  readonly received: readonly Pick<Line, 'text' | 'atMs'>[];
  readonly annotations: readonly Annotation[];
  readonly masked: readonly { readonly secret: string; readonly step: number }[];
}

/** What can be seen of a process from outside. */
export interface ProcessFacts extends Printed {
  readonly startedAtMs: number;
  readonly startedStep: number;
  readonly end:
    | (Instant & { readonly how: 'exited' | 'killed' | 'drained'; readonly code: number | undefined })
    | undefined;
  readonly drained: boolean;
  readonly effects: number;
  /** Signals that it observed, the loss of stdout among them. */
  readonly observed: readonly SignalFact[];
  /** As its runner read them when it was gone. */
  readonly outputs: ReadonlyMap<string, string>;
}

export interface ScenarioFacts {
  /** One for each execution, in their order; each is checked by itself. */
  readonly executions: readonly Facts[];
  readonly log: readonly string[];
}

/** What the only execution of a scenario left behind, with the log of its scenario. */
export type SingleFacts = Facts & Pick<ScenarioFacts, 'log'>;

/** What the environment of an execution depends on. */
export interface Surrounded {
  readonly spec: SingleSpec;
  readonly paths: Paths;
  /** The ids of its pipelines, in their order. */
  readonly pipelineIds: readonly string[];
  /** Ids of runs that were queued before the scenario began. */
  readonly earlier: readonly string[];
}

/** All that an execution left behind: what the checker decides by. */
export interface Facts extends Surrounded {
  /** Other executions ran on the same machine. */
  readonly hasNeighbours: boolean;
  /** The service, with the runs of these pipelines alone. */
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
  /** When the runner read main's files; undefined if it did not. */
  readonly filesReadStep: number | undefined;
  /** The state of main and the status of the job, as post got them. */
  readonly postEnv: Readonly<Record<string, string>>;
  /** Ended when nothing was left to happen, or given up after 48 hours. */
  readonly ended: 'over' | 'too_long';
  readonly endMs: number;
  /** Rejections and exceptions that escaped, from any execution: which one is at fault cannot be known. */
  readonly escaped: readonly string[];
}

/** The files that a runner hands to an execution. `temp` is the machine's, which all executions share. */
export type Paths = ReturnType<typeof pathsOf>;

/** The files of an execution, by its place in the scenario. */
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
