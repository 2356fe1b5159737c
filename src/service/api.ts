import type { Uuid } from '../base/uuid.ts';

/** A run, which the API calls a job. Each string fits on one line and within the display limit. */
export interface Job {
  readonly id: Uuid;
  /** The status, which may be any text because the service may add statuses. */
  readonly status: string;
  /** The status message, or `MESSAGE_TOO_LONG` if the message is too long to read. */
  readonly statusMessage: string | null;
}

export interface Pipeline {
  readonly id: Uuid;
  readonly name: string | null;
  readonly apiName: string | null;
}

/** The account that the key exchange reports. */
export interface Account {
  readonly region: string | null;
  readonly apiUrl: URL;
  readonly expiresAt: string | null;
}

/** The options of a trigger. `resetTarget` drops the destination's tables. */
export interface Order {
  readonly pipelineId: Uuid;
  readonly fullResync: boolean;
  readonly resetTarget: boolean;
}

/** A failure described for users. Each string fits on one line and contains no secrets. */
export interface Problem {
  /** Completes "could not …", as in `read the status of the run`. */
  readonly attempted: string;
  /** The failure, such as `HTTP 503 "upstream unavailable"` or `the connection was reset before a response arrived`. */
  readonly cause: string;
  /** Suggests a remedy in a full sentence. Absent if users can only wait. */
  readonly remedy?: string | undefined;
}

/** A failed call, classified by its consequences for the request instead of by an error code. */
export type Failure =
  /** The connection failed, or the service returned 429. `retryable` is false if no retry can help. */
  | {
      readonly kind: 'not_processed';
      readonly problem: Problem;
      readonly retryable: boolean;
      readonly retryAfterMs?: number;
    }
  /**
   * The request timed out, the connection was cut off, or the service returned 408, 5xx, an invalid 2xx or, in response
   * to a trigger, 303.
   */
  | { readonly kind: 'maybe_processed'; readonly problem: Problem; readonly retryAfterMs?: number }
  /** The service returned 401 despite a new token and did not process the request. */
  | { readonly kind: 'unauthorized'; readonly problem: Problem }
  /** The service returned another 4xx or redirect and did not process the request. */
  | { readonly kind: 'rejected'; readonly problem: Problem }
  /** The exchange rejected the API key, and no other token is valid, so the client did not send the request. */
  | { readonly kind: 'key_refused'; readonly problem: Problem }
  /** The caller's signal aborted the call. A trigger aborts only before its connection is established. */
  | { readonly kind: 'aborted' };

export type ConnectOutcome = { readonly kind: 'connected'; readonly account: Account } | Failure;

export type ListOutcome =
  /** `mayBeTruncated` means that the list has at least as many rows as the usual limit for a response. */
  { readonly kind: 'pipelines'; readonly pipelines: readonly Pipeline[]; readonly mayBeTruncated: boolean } | Failure;

export type TriggerOutcome =
  | { readonly kind: 'queued'; readonly jobId: Uuid }
  /** The service returned JSON `null`, because the account is out of sync credits. No run exists. */
  | { readonly kind: 'no_credits' }
  | Failure;

export type ReadOutcome =
  | { readonly kind: 'job'; readonly job: Job }
  /** The service returned an empty array, so this key cannot see a run with this id. */
  | { readonly kind: 'missing' }
  | Failure;

export type CancelOutcome =
  /** The row that the cancel changed. */
  | { readonly kind: 'job'; readonly job: Job }
  /** The service returned an empty array because the cancel changed nothing. Only a read can explain why. */
  | { readonly kind: 'unchanged' }
  /** The service accepted the cancel, but its 2xx has an unusable body. A read shows the result. */
  | { readonly kind: 'accepted'; readonly problem: Problem }
  | Failure;

/** A request, as recorded for debug logging. */
export interface RequestTrace {
  readonly method: string;
  /** The path and query, which contain ids and filters but no secrets. */
  readonly path: string;
  /** The number of this attempt within its call, starting at 1. */
  readonly attempt: number;
  readonly ms: number;
  readonly status?: number;
  readonly failure?: string;
}

export interface CallOptions {
  /** Aborts the call, even while a request is in flight. */
  readonly signal?: AbortSignal;
  /** Returns the time limit, in ms, for the next token wait or attempt. The client calls this before each one. */
  readonly withinMs?: () => number;
  /** Returns the time limit for the request itself, in milliseconds, if it may exceed the limit of the token wait. */
  readonly requestWithinMs?: () => number;
  /** Yields to other calls: a 401 does not invalidate their token, and the list is limited to the usual size. */
  readonly isBackground?: boolean;
  /** Repeats a read without the message if the row is too large, because the next read is far off or never happens. */
  readonly repeatIfTooLarge?: boolean;
}

export interface TriggerOptions {
  /** Called synchronously right before each POST, even a retry. Throwing prevents the POST and makes the call throw. */
  readonly onSend: () => void;
  /** Has no effect once the client is connected, so `aborted` proves that the service did not process the last POST. */
  readonly signal?: AbortSignal;
}

/** The service. Each call makes one attempt, and up to two more after a 401. Failures are outcomes, not rejections. */
export interface Service {
  /** Exchanges the API key for a token. The other calls do the same if they have no token. */
  connect(options?: CallOptions): Promise<ConnectOutcome>;
  list(options?: CallOptions): Promise<ListOutcome>;
  /** Queues one run. No signal aborts a connected trigger, because only its response contains the run's id. */
  trigger(order: Order, options: TriggerOptions): Promise<TriggerOutcome>;
  read(jobId: Uuid, options?: CallOptions): Promise<ReadOutcome>;
  cancel(jobId: Uuid, options?: CallOptions): Promise<CancelOutcome>;
}
