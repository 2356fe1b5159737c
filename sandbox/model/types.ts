/** The service as plain data, which `structuredClone` and `JSON.stringify` can copy. */
import type { ModelRule } from './rules.ts';
import type { Violation } from './violations.ts';

export interface ModelRequest {
  readonly method: string;
  /** The path with its query string, as on the request line. */
  readonly path: string;
  /** Headers with their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ModelResponse {
  readonly status: number;
  /** Headers with their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The calls of the service. `other` stands for any other request. */
export type CallKind = 'exchange' | 'list' | 'trigger' | 'read' | 'cancel' | 'other';

/** The status and message that a job has from `afterMs` after the trigger (at speed 1). */
export type Stage = readonly [afterMs: number, status: string, message?: string | null];

export interface Scenario {
  /** A verb phrase about the runs of a pipeline with this scenario. */
  readonly does: string;
  readonly timeline: readonly Stage[];
  /** The timelines of the first runs, if they differ. */
  readonly first?: readonly (readonly Stage[])[];
  /** The trigger returns `null`, even if the workspace has credits. */
  readonly outOfCredits?: boolean;
}

export interface Workspace {
  readonly id: string;
  readonly name: string;
  /** The number of runs that the workspace can still pay for. */
  credits: number | 'unlimited';
}

export interface ApiKey {
  readonly value: string;
  readonly workspaceId: string;
  revoked: boolean;
}

export interface Token {
  readonly value: string;
  /** The key that a client exchanged for the token. After the key is revoked, the service rejects the token too. */
  readonly key: string;
  readonly workspaceId: string;
  /** The time from which the service rejects the token, in ms of the same clock as `nowMs`. */
  expiresAt: number;
}

export interface Pipeline {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly apiName: string | null;
  active: boolean;
  /** A key of `World.scenarios`. */
  scenario: string;
  /** The number of its rows in the collection, because a view over data sources repeats its pipelines. */
  readonly rows: number;
}

export interface RunParameters {
  readonly p_pipeline_id: string;
  readonly p_job_type: string;
  readonly p_full_resync: boolean;
  readonly p_reset_target: boolean;
}

export interface Job {
  readonly id: string;
  readonly workspaceId: string;
  readonly pipelineId: string;
  readonly createdAt: number;
  readonly parameters: RunParameters;
  /** The stages, whose times are already divided by the world's speed. */
  readonly timeline: readonly Stage[];
  readonly heartbeatMs: number;
  cancelledAt: number | null;
  /** The time when the agent stops working after a cancellation. */
  abortedAt: number | null;
  /** The times of all reads of the run that passed authentication. */
  readonly reads: number[];
  /** The times of all PATCHes of the run, including those that changed nothing. */
  readonly patches: number[];
  /** The time of the read at which the current minimum interval began. */
  pacedReadAt: number | null;
  confirmReadsLeft: number;
  exemptReadsLeft: number;
}

export interface World {
  /** The difference in ms between the wall time in `expires_at` and the clock. */
  readonly epochMs: number;
  readonly seed: number;
  /** The number of ids generated so far. */
  issued: number;
  /** The path before the token exchange: '' or '/prefix'. */
  basePath: string;
  backendUrl: string;
  region: string;
  anonKey: string;
  /** The lifetime of new tokens in seconds. */
  ttlSeconds: number;
  /** The factor by which all timelines and the agent's heartbeat interval are shortened. */
  speed: number;
  heartbeatMs: number;
  /** The shortest time between two reads of one job in ms, independent of the speed. */
  minReadIntervalMs: number;
  /** The number of reads after a PATCH that may arrive before the minimum interval has passed. */
  confirmReads: number;
  /** The number of other reads of a job that may arrive before the minimum interval has passed. */
  exemptReads: number;
  readonly scenarios: Record<string, Scenario>;
  readonly workspaces: Workspace[];
  readonly keys: ApiKey[];
  readonly tokens: Token[];
  readonly pipelines: Pipeline[];
  /** Every run ever queued, in the order of the accepted triggers. */
  readonly jobs: Job[];
  readonly rules: ModelRule[];
  /** The number of requests so far of a kind (`read`), or of a kind for a subject (`read orders`). */
  readonly counts: Record<string, number>;
  readonly violations: Violation[];
}
