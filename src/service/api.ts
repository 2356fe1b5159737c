import type { Uuid } from '../base/uuid.ts';

/** A run, which the API calls a job. Both texts are on one line and no longer than any place shows. */
export interface Job {
  readonly id: Uuid;
  /** Any text, because the service may add statuses. */
  readonly status: string;
  /** `MESSAGE_TOO_LONG` if the message is too long to read. */
  readonly statusMessage: string | null;
}

export interface Pipeline {
  readonly id: Uuid;
  readonly name: string | null;
  readonly apiName: string | null;
}

/** What the exchange reports about the API key. */
export interface Account {
  readonly region: string | null;
  readonly apiUrl: URL;
  readonly expiresAt: string | null;
}

/** What to run. `resetTarget` drops the destination's tables. */
export interface Order {
  readonly pipelineId: Uuid;
  readonly fullResync: boolean;
  readonly resetTarget: boolean;
}

/** A failure described for users, in texts of one line without secrets. */
export interface Problem {
  /** Completes "could not …": `read the status of the run`. */
  readonly attempted: string;
  /** What happened: `HTTP 503 "upstream unavailable"`, `the connection was reset before a response arrived`. */
  readonly cause: string;
  /** What the reader can do, as a sentence; absent if only waiting helps. */
  readonly remedy?: string | undefined;
}

/** How a call failed, by what that means for the request, not by an error's code. */
export type Failure =
  /** Never connected, or 429. `retryable` is false if another attempt cannot help, such as for a bad certificate. */
  | {
      readonly kind: 'not_processed';
      readonly problem: Problem;
      readonly retryable: boolean;
      readonly retryAfterMs?: number;
    }
  /** Reset, time-out, cut-off body, 408, 5xx, or a 2xx that makes no sense. */
  | { readonly kind: 'maybe_processed'; readonly problem: Problem; readonly retryAfterMs?: number }
  /** 401, although the token was renewed. Not processed. */
  | { readonly kind: 'unauthorized'; readonly problem: Problem }
  /** Another 4xx, or a redirect. Not processed. */
  | { readonly kind: 'rejected'; readonly problem: Problem }
  /** The exchange rejected the API key, perhaps by a fault of the service, and no token is valid. Nothing was sent. */
  | { readonly kind: 'key_refused'; readonly problem: Problem }
  /** The caller's signal aborted the call; a trigger only before its connection was established. */
  | { readonly kind: 'aborted' };

export type ConnectOutcome = { readonly kind: 'connected'; readonly account: Account } | Failure;

export type ListOutcome =
  /** `mayBeTruncated`: the list has as many rows as one answer of the service usually contains. */
  { readonly kind: 'pipelines'; readonly pipelines: readonly Pipeline[]; readonly mayBeTruncated: boolean } | Failure;

export type TriggerOutcome =
  | { readonly kind: 'queued'; readonly jobId: Uuid }
  /** JSON `null`: the account is out of sync credits, and no run was created. */
  | { readonly kind: 'no_credits' }
  | Failure;

export type ReadOutcome =
  | { readonly kind: 'job'; readonly job: Job }
  /** An empty array: no run of this id is visible to this key. */
  | { readonly kind: 'missing' }
  | Failure;

export type CancelOutcome =
  /** The row that the cancel changed. */
  | { readonly kind: 'job'; readonly job: Job }
  /** An empty array: nothing was changed. Only a read can show why. */
  | { readonly kind: 'unchanged' }
  /** A 2xx whose body cannot be used: the service accepted the cancel, and a read shows the result. */
  | { readonly kind: 'accepted'; readonly problem: Problem }
  | Failure;

/** One request for debug logging. */
export interface RequestTrace {
  readonly method: string;
  /** Path and query. They contain ids and filters, but no secret. */
  readonly path: string;
  /** The number of this attempt in its call, from 1. */
  readonly attempt: number;
  readonly ms: number;
  readonly status?: number;
  readonly failure?: string;
}

export interface CallOptions {
  /** Aborts the call, in flight or not. */
  readonly signal?: AbortSignal;
  /** Milliseconds for the wait for a token and for one attempt, instead of the call's own; called before each of them. */
  readonly withinMs?: () => number;
  /** Milliseconds for the request itself, if it may take longer than the wait for a token. */
  readonly requestWithinMs?: () => number;
  /** Other calls come first, so a 401 does not invalidate their token, and a list is limited to the usual size. */
  readonly isBackground?: boolean;
  /** Reads a row that is too large again at once without its message, because the next read is far away or never. */
  readonly repeatIfTooLarge?: boolean;
}

export interface TriggerOptions {
  /** Called synchronously right before each POST, also a repeated one. What it throws prevents it and is thrown on. */
  readonly onSend: () => void;
  /** Has no effect once the connection is established, so `aborted` proves that the last POST was not processed. */
  readonly signal?: AbortSignal;
}

/** Each call makes one attempt, and another with a new token after a 401. Failures are outcomes, not rejections. */
export interface Service {
  /** Exchanges the API key for a token. The other calls do so themselves if they have no token. */
  connect(options?: CallOptions): Promise<ConnectOutcome>;
  list(options?: CallOptions): Promise<ListOutcome>;
  /** Queues exactly one run. It cannot be aborted once connected, because only the response contains the run's id. */
  trigger(order: Order, options: TriggerOptions): Promise<TriggerOutcome>;
  read(jobId: Uuid, options?: CallOptions): Promise<ReadOutcome>;
  cancel(jobId: Uuid, options?: CallOptions): Promise<CancelOutcome>;
}
