import type { Uuid } from '../base/uuid.ts';
import type { TerminalStatus } from '../service/statuses.ts';

/** What a stop does with a run in progress. */
export type OnStop = 'cancel' | 'leave';

/** One thing the step was asked to do, as the user wrote it: a pipeline is a UUID, an API name or a name. */
export type Target =
  /** Trigger a run of it. */
  | { readonly kind: 'pipeline'; readonly pipeline: string }
  /** Await a run that exists. */
  | { readonly kind: 'job'; readonly jobId: Uuid }
  /** Take this run if it is in progress or ended as a success; otherwise trigger a new one. */
  | { readonly kind: 'resume'; readonly pipeline: string; readonly jobId: Uuid };

/** Everything that the inputs request; never changes. Durations are in milliseconds. */
export interface Plan {
  /** In the order of the input; results keep that order. */
  readonly targets: readonly Target[];
  readonly fullResync: boolean;
  /** Drops the destination's tables before loading. */
  readonly resetTarget: boolean;
  readonly wait: boolean;
  /** Check and resolve everything, and trigger nothing. */
  readonly dryRun: boolean;
  /** How many runs may be in progress at once; Infinity for all. */
  readonly maxParallel: number;
  /** After the first run that is not a success, trigger no more and apply `onCancel` to the others. */
  readonly failFast: boolean;
  readonly pollIntervalMs: number;
  /** For the whole step, from its first trigger or read. */
  readonly timeoutMs: number | undefined;
  /** For one run, while it is `queued`. */
  readonly queueTimeoutMs: number | undefined;
  readonly onTimeout: OnStop;
  readonly onCancel: OnStop;
  readonly succeedOn: ReadonlySet<TerminalStatus>;
  /** What follows when the response to a trigger is lost: `retry` may queue a second run. */
  readonly onLostResponse: 'fail' | 'retry';
  /** How long status checks may fail while a run is awaited. */
  readonly maxOutageMs: number;
  /** The maximum number of runs per pipeline, one after another. */
  readonly maxAttempts: number;
  /** The final statuses after which the next attempt follows. */
  readonly retryOn: ReadonlySet<TerminalStatus>;
  readonly retryDelayMs: number;
}

/** The parts of a plan that decide how the end of a run is judged and worded. */
export type Expectation = Pick<
  Plan,
  'succeedOn' | 'resetTarget' | 'onLostResponse' | 'onCancel' | 'maxAttempts' | 'retryOn'
>;

/** A pipeline that a target stands for. The name is for people; a UUID is triggered without knowing it. */
export interface ResolvedPipeline {
  readonly id: Uuid;
  readonly name: string | null;
}
