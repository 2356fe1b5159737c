/** The service as plain data, which `structuredClone` and `JSON.stringify` can copy. */
import type { ModelRule } from './rules.ts';
import type { Violation } from './violations.ts';

export interface ModelRequest {
  readonly method: string;
  /** Path with its query string, as on the request line. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ModelResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The calls of the service; `other` is any other request. */
export type CallKind = 'exchange' | 'list' | 'trigger' | 'read' | 'cancel' | 'other';

/** A job's status and message from `afterMs` after the trigger on (at speed 1). */
export type Stage = readonly [afterMs: number, status: string, message?: string | null];

export interface Scenario {
  /** What a run of such a pipeline does, in a few words. */
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
  /** How many more runs the workspace can pay for. */
  credits: number | 'unlimited';
}

export interface ApiKey {
  readonly value: string;
  readonly workspaceId: string;
  revoked: boolean;
}

export interface Token {
  readonly value: string;
  /** The key that was exchanged for it. Once the key is revoked, the token is rejected as well. */
  readonly key: string;
  readonly workspaceId: string;
  /** Rejected from this instant on (ms, the same clock as `nowMs`). */
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
  /** How many rows of the collection name it; a view over datasources repeats its pipelines. */
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
  /** Already divided by the world's speed. */
  readonly timeline: readonly Stage[];
  readonly heartbeatMs: number;
  cancelledAt: number | null;
  /** When the agent stops working after a cancel. */
  abortedAt: number | null;
  /** Instants of all its reads that passed authentication. */
  readonly reads: number[];
  /** Instants of all its PATCHes, including those that changed nothing. */
  readonly patches: number[];
  /** The read from which the minimum interval is measured. */
  pacedReadAt: number | null;
  confirmReadsLeft: number;
  exemptReadsLeft: number;
}

/** How the token exchange answers a key that it rejects. */
export type Refusal = '401' | '403' | 'null-token' | 'no-token' | 'empty-token';

export interface World {
  /** Added to the clock's ms to get the wall time in `expires_at`. */
  readonly epochMs: number;
  readonly seed: number;
  /** How many ids have been generated. */
  issued: number;
  /** Path in front of the token exchange: '' or '/prefix'. */
  basePath: string;
  backendUrl: string;
  region: string;
  anonKey: string;
  /** Lifetime of new tokens, seconds. */
  ttlSeconds: number;
  refusal: Refusal;
  /** All timelines and the agent's heartbeat are divided by this. */
  speed: number;
  heartbeatMs: number;
  /** Shortest time between two reads of one job, not divided by the speed. */
  minReadIntervalMs: number;
  /** How many reads after a PATCH may come sooner. */
  confirmReads: number;
  /** How many other reads of a job may come sooner. */
  exemptReads: number;
  readonly scenarios: Record<string, Scenario>;
  readonly workspaces: Workspace[];
  readonly keys: ApiKey[];
  readonly tokens: Token[];
  readonly pipelines: Pipeline[];
  /** Every run ever queued, in order: one per accepted trigger. */
  readonly jobs: Job[];
  readonly rules: ModelRule[];
  /** How many requests of a kind (`read`), or of a kind and subject (`read orders`), have arrived. */
  readonly counts: Record<string, number>;
  readonly violations: Violation[];
}
