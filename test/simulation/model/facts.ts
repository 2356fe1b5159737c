/** The facts that a scenario leaves behind, for the checker and the traces. */
import type { World } from '../../../sandbox/model/index.ts';
import { parseRecords } from '../../../sandbox/runner/records.ts';
import type { Connecting } from '../../support/fault-scripts.ts';
import type { End } from './process.ts';
import type { Call, CrashKind, ProcessName, SingleSpec } from './spec.ts';

export interface Instant {
  readonly atMs: number;
  /** The number of preceding events; Infinity where the checker knows only the time. */
  readonly step: number;
}

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
}

/** A request and everything that happened to it, which only an observer of both sides can see. */
export interface RequestFact extends Instant {
  readonly on: ProcessName;
  readonly call: Call | 'other';
  /** The request's number among those of its kind in its process, from 1. */
  readonly nth: number;
  /** The run or pipeline that the request concerns. */
  readonly subject: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The request's number among the effects of its process. */
  readonly effect: number;
  /** The name of the fault or outage that affected the request. */
  readonly what: string | undefined;
  /** The duration of each phase of connecting, if the client waits for it. */
  readonly connecting: Connecting;
  /** When the client handled the event that the connection is established. The client sends no bytes before that. */
  connectedAtMs?: number;
  connectedStep?: number;
  committedAtMs?: number;
  /** The part of the response that the client received. */
  status?: number;
  answerHeaders: Readonly<Record<string, string>>;
  text: string;
  over?: Instant & { how: 'complete' | 'cut' | 'failed' | 'hung_up'; effect: number; code: string };
}

export interface WriteFact extends Instant {
  readonly path: string;
  readonly text: string;
  readonly failed: boolean;
  /** Whether part of a failed write remains in the file. */
  readonly partial: boolean;
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
}

export interface SignalFact extends Instant {
  readonly name: string;
}

/** What a process prints, as its runner reads it. */
export interface Printed {
  /** All lines except the commands of the action. The runner must interpret none of them as a command. */
  readonly lines: readonly string[];
  /** All lines in order, including commands. The secret in a mask command is hidden. */
  readonly received: readonly { readonly text: string; readonly atMs: number }[];
  readonly annotations: readonly Annotation[];
  readonly masked: readonly { readonly secret: string; readonly step: number }[];
}

export interface ProcessFacts extends Printed {
  readonly startedAtMs: number;
  readonly startedStep: number;
  readonly end: (End & Instant) | undefined;
  readonly drained: boolean;
  /** Whether a timer was due that never fires. */
  readonly lostTimer: boolean;
  readonly effects: number;
  /** Signals that the process observed, including the loss of stdout. */
  readonly observed: readonly SignalFact[];
  /** The outputs as the runner read them when it considered the process finished. */
  readonly outputs: ReadonlyMap<string, string>;
}

export interface ScenarioFacts {
  readonly executions: readonly Facts[];
  readonly log: readonly string[];
}

export type SingleFacts = Facts & Pick<ScenarioFacts, 'log'>;

export interface Surrounded {
  readonly spec: SingleSpec;
  readonly paths: Paths;
  readonly pipelineIds: readonly string[];
  /** Ids of runs that were queued before the scenario began. */
  readonly earlier: readonly string[];
}

/** Everything that an execution left behind, on which the checker bases its decisions. */
export interface Facts extends Surrounded {
  /** The other executions of the scenario. */
  readonly neighbours: readonly Facts[];
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

export const PATHS = pathsOf(0);

/** Reads a file of commands like the official runner, which drops everything after a line that it cannot parse. */
export function recordsOf(text: string): { readonly records: Map<string, string>; readonly torn: boolean } {
  const { values, broken } = parseRecords(text);
  return { records: new Map(Object.entries(values)), torn: broken !== undefined };
}

/** The records that main wrote for post, whether or not the disk stored them. */
export function ledgerOf({ writes, paths }: Facts): Facts['writes'] {
  return writes.filter(
    ({ process, path }) => process === 'main' && (path === paths.state || path.endsWith('.journal')),
  );
}

/** The value of a JSON text; undefined if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
