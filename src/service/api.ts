import type { Uuid } from '../base/uuid.ts';

/**
 * A run as the service tells of it. The status is any text: only the terminal ones end the wait. Both texts are on one
 * line, and no longer than any place shows them.
 */
export interface Job {
  readonly id: Uuid;
  readonly status: string;
  /** `MESSAGE_TOO_LONG` in the place of a message that is too long to read. */
  readonly statusMessage: string | null;
}

export interface Pipeline {
  readonly id: Uuid;
  readonly name: string | null;
  readonly apiName: string | null;
}

/** Where the key belongs, told by the exchange; the texts are as they came. */
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

/** A failure in words for people: what was attempted, what came back, what to do. One line each, no secrets. */
export interface Problem {
  /** Completes "could not …": `read the status of the run`. */
  readonly attempted: string;
  /** What came back: `HTTP 503 "upstream unavailable"`, `the connection was reset before an answer came`. */
  readonly came: string;
  /** What the reader can do about it, as a sentence; absent where nothing helps but time. */
  readonly remedy?: string | undefined;
}

/** How a call failed, by what that means for the request, not by an error's code. */
export type Failure =
  /** Surely not processed: never connected, or 429. `hopeless`: trying again cannot help (a certificate). */
  | {
      readonly kind: 'not_processed';
      readonly problem: Problem;
      readonly hopeless: boolean;
      readonly retryAfterMs?: number;
    }
  /** May have been processed: reset, time-out, cut-off body, 408, 5xx, a 2xx that makes no sense. */
  | { readonly kind: 'perhaps'; readonly problem: Problem; readonly retryAfterMs?: number }
  /** 401 although the token was renewed. Not processed. */
  | { readonly kind: 'unauthorized'; readonly problem: Problem }
  /** The service understood and said no: another 4xx, or a redirect. Not processed. */
  | { readonly kind: 'rejected'; readonly problem: Problem }
  /**
   * The exchange rejected the API key, and no token is valid. The call itself was not processed. A single rejection may
   * be a fault of the service: the caller decides how many are final.
   */
  | { readonly kind: 'key_refused'; readonly problem: Problem }
  /** The caller's own signal ended the call. For a trigger: before its connection was established. */
  | { readonly kind: 'aborted' };

export type ConnectOutcome = { readonly kind: 'connected'; readonly account: Account } | Failure;

export type ListOutcome =
  | {
      readonly kind: 'pipelines';
      readonly pipelines: readonly Pipeline[];
      /** The service may have cut the list off: it has as many rows as one answer holds. */
      readonly perhapsCut: boolean;
    }
  | Failure;

export type TriggerOutcome =
  | { readonly kind: 'queued'; readonly jobId: Uuid }
  /** JSON `null`: the account is out of sync credits, no run was made. */
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
  /** An empty array: nothing changed; only a read tells why. */
  | { readonly kind: 'unchanged' }
  /** A 2xx whose body cannot be used: the service accepted the cancel, and a read shows the result. */
  | { readonly kind: 'accepted'; readonly problem: Problem }
  | Failure;

/** One request as debug logging tells of it. The path holds ids and filters, never a host or a secret. */
export interface RequestTrace {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Which try of its call this is, from 1. */
  readonly attempt: number;
  readonly ms: number;
  readonly status?: number;
  readonly failure?: string;
}

export interface CallOptions {
  /** Ends the call early, in flight or not; it then reports `aborted`. */
  readonly signal?: AbortSignal;
  /**
   * Milliseconds for one attempt, and for the wait for a token before it, instead of the call's own deadline. Asked
   * when that begins: the call may have waited for its turn by then, and its time may have become shorter.
   */
  readonly withinMs?: () => number;
  /**
   * Nothing hangs on its answer: a 401 to it is no reason to give up the token that others go on with, and a list is
   * read no further than any other answer, because runs are already being watched.
   */
  readonly isAside?: boolean;
  /** A row that turns out to be too large is read again at once, without its message: the next read is far or never. */
  readonly repeatIfTooLarge?: boolean;
}

export interface TriggerOptions {
  /**
   * Called synchronously right before each POST leaves, also before one repeated with a new token.
   * What it throws keeps that POST from leaving, and is thrown on to the caller of `trigger`.
   */
  readonly onSend: () => void;
  /**
   * Aborts the trigger until its connection is established, that is while no byte of a POST can have been sent: the
   * outcome `aborted` means that the last POST was provably not processed. After that, it has no effect.
   */
  readonly signal?: AbortSignal;
}

/**
 * The service: five calls. Each makes one attempt (a 401 is answered by a new token and another try), never
 * rejects for what the network or the service did, and reports in its outcome how it went.
 */
export interface Service {
  /** Exchanges the API key for a token. The other calls do so by themselves when there is none yet. */
  connect(options?: CallOptions): Promise<ConnectOutcome>;
  list(options?: CallOptions): Promise<ListOutcome>;
  /** Queues exactly one run. Once it is connected, it is not aborted: without the response, the run's id is unknown. */
  trigger(order: Order, options: TriggerOptions): Promise<TriggerOutcome>;
  read(jobId: Uuid, options?: CallOptions): Promise<ReadOutcome>;
  cancel(jobId: Uuid, options?: CallOptions): Promise<CancelOutcome>;
}
