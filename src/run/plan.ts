import type { Uuid } from '../base/uuid.ts';
import type { TerminalStatus } from '../service/statuses.ts';

/** The policy for runs in progress when the step stops. */
export type OnStop = 'cancel' | 'leave';

/** One item of the input, as the user wrote it. The user can identify a pipeline by UUID, API name or name. */
export type Target =
  /** Trigger a run of this pipeline. */
  | { readonly kind: 'pipeline'; readonly pipeline: string }
  /** Await an existing run. */
  | { readonly kind: 'job'; readonly jobId: Uuid }
  /** Await this run if it is in progress, accept it if it succeeded, and trigger a new run otherwise. */
  | { readonly kind: 'resume'; readonly pipeline: string; readonly jobId: Uuid };

/** The immutable configuration that the inputs describe. All durations are in milliseconds. */
export interface Plan {
  /** The targets in input order. Results keep the same order. */
  readonly targets: readonly Target[];
  readonly fullResync: boolean;
  /** Drops the destination's tables before loading. */
  readonly resetTarget: boolean;
  readonly wait: boolean;
  /** Checks and resolves all inputs without triggering any run. */
  readonly dryRun: boolean;
  /** Maximum number of runs in progress at once, or Infinity for no limit. */
  readonly maxParallel: number;
  /** After the first run that does not succeed, stops triggering runs and applies `onCancel` to the others. */
  readonly failFast: boolean;
  readonly pollIntervalMs: number;
  /** Timeout for the whole step, starting at its first trigger or read. */
  readonly timeoutMs: number | undefined;
  /** Maximum time that one run may spend in the status `queued`. */
  readonly queueTimeoutMs: number | undefined;
  readonly onTimeout: OnStop;
  readonly onCancel: OnStop;
  readonly succeedOn: ReadonlySet<TerminalStatus>;
  /** The policy for a trigger whose response is lost. `retry` may queue several runs. */
  readonly onLostResponse: 'fail' | 'retry';
  /** Maximum time that status checks may keep failing while the step awaits a run. */
  readonly maxOutageMs: number;
  /** Maximum number of consecutive runs per pipeline. */
  readonly maxAttempts: number;
  /** The final statuses that cause another attempt. */
  readonly retryOn: ReadonlySet<TerminalStatus>;
  readonly retryDelayMs: number;
}

/** The parts of a plan that determine the outcome of a run and the wording of its report. */
export type Expectation = Pick<
  Plan,
  'succeedOn' | 'resetTarget' | 'onLostResponse' | 'onCancel' | 'maxAttempts' | 'retryOn'
>;

/** The pipeline that a target refers to. Only messages use the name, so triggering by UUID does not require it. */
export interface ResolvedPipeline {
  readonly id: Uuid;
  readonly name: string | null;
}
