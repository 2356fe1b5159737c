/* What can be observed of a scenario from outside. The checker sees this and the service, and nothing else. */
import type { World as Service } from '../../sandbox/model/index.ts';
import type { Answer } from '../../src/service/send.ts';
import type { Level } from '../../src/world.ts';
import type { Call, FaultKind, FileKind, IncidentKind, Role, Scenario } from './scenario.ts';

/** A point in a scenario. `order` also orders what happens at the same time. */
export interface Instant {
  readonly at: number;
  readonly order: number;
}

export interface RequestHistory {
  readonly call: Call;
  /** The run or pipeline of the request, or '' if it has none. */
  readonly subject: string;
  readonly url: string;
  readonly secret: string;
  readonly sent: Instant;
  /** What the network or the service did wrong. */
  readonly fault: FaultKind | undefined;
  connected?: Instant;
  /** When the service processed the request, which may be after the process has given up. */
  processed?: Instant;
  /** When the process received the answer. */
  answered?: Instant;
  answer?: Answer;
}

export interface ProcessHistory {
  readonly role: Role;
  /** The index of the step. */
  readonly step: number;
  readonly started: Instant;
  readonly requests: RequestHistory[];
  /** Lines that were written, without the creation of empty files. */
  readonly writes: (Instant & { readonly file: FileKind; readonly path: string; readonly failed: boolean })[];
  readonly outputs: (Instant & { readonly name: string; readonly value: string })[];
  /** `isRead` is false if the runner no longer reads what the process prints. */
  readonly lines: (Instant & { readonly text: string; readonly isDebug: boolean; readonly isRead: boolean })[];
  readonly annotations: (Instant & {
    readonly level: Level;
    readonly title: string;
    readonly message: string;
    readonly isRead: boolean;
  })[];
  readonly masked: (Instant & { readonly secret: string })[];
  /** When the process learned of each interruption: a signal, a closed stdout, the mark of post, or a dead runner. */
  readonly stops: (Instant & { readonly by: string })[];
  readonly errors: (Instant & { readonly message: string })[];
  end?: Instant & { readonly how: 'exited' | 'killed'; readonly code: number };
}

export interface StepHistory {
  main: ProcessHistory | undefined;
  post: ProcessHistory | undefined;
  readonly incidents: (Instant & { readonly on: Role; readonly what: IncidentKind })[];
  /** The outputs that the runner read. */
  outputs: Readonly<Record<string, string>>;
  /** Whether post received the state that main saved. */
  isStateKept: boolean;
  /** Whether the journal of main existed when post ended. */
  isJournalKept: boolean;
  jobStatus: string;
  readonly summaries: string[];
}

export interface History {
  readonly scenario: Scenario;
  readonly key: string;
  readonly service: Service;
  readonly steps: readonly StepHistory[];
  /** For each step, the ids of its pipelines and of the runs that existed before. */
  readonly pipelineIds: readonly (readonly string[])[];
  readonly givenIds: readonly (readonly string[])[];
  readonly files: ReadonlyMap<string, string>;
  readonly story: readonly StoryLine[];
  readonly isOver: boolean;
  readonly endedAt: number;
}

export interface StoryLine {
  readonly at: number;
  readonly who: string;
  /** The number of the effect, or 0 for what happens outside a process. */
  readonly effect: number;
  readonly text: string;
}
