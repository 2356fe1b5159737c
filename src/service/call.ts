import { under } from '../base/address.ts';
import type { Clock } from '../base/clock.ts';
import type { Uuid } from '../base/uuid.ts';
import type { CallOptions, Failure } from './api.ts';
import { type Incomplete, successOf } from './classify.ts';
import type { Grant } from './exchange.ts';
import type { Subject } from './problem.ts';
import type { Redactor } from './redact.ts';
import { type Reply, replyOf } from './reply.ts';
import type { Session } from './session.ts';
import type { Answer, Answered, Deadline, Transport } from './transport.ts';
import type { WireRequest } from './wire.ts';

/** A call to the API host, and how its answers are to be understood. */
export interface Call<T> {
  readonly attempted: string;
  readonly method: WireRequest['method'];
  /** Path and query, exactly as they are sent. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly deadline: Deadline;
  readonly maxBytes: number;
  /** How often it is sent at most; each time but the first with a new token, after a 401. */
  readonly tries: number;
  readonly whenRejected?: string;
  /** Looks at an answer, also while it is still coming, before it is judged by its status and completeness. */
  readonly rescue?: (answer: Answered) => T | undefined;
  /** Reads the body of a complete 2xx at the border. */
  readonly understand: (answer: Reply, subject: Subject) => T | Failure;
  /** What a 2xx means whose body was not received as a whole; absent: `perhaps`. `received` may contain secrets. */
  readonly whenIncomplete?: (incomplete: Incomplete, received: string) => T;
  /** The caller's signal aborts only what is not connected yet: the wait for a token, and connecting. */
  readonly untilConnected?: boolean;
  /** Called synchronously right before each sending; what it throws prevents that, and is thrown on. */
  readonly onSend?: () => void;
}

/** What every call shares. */
export interface Caller {
  readonly transport: Transport;
  readonly session: Session;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** Runs whose status message is too long to read: later reads leave it out. */
  readonly longMessages: Set<Uuid>;
}

/** Deadline of a call, in milliseconds: connecting, head and body together. */
export const USUAL_DEADLINE_MS = 30_000;
/** Longest body of an answer, in bytes: a thousand times a usual one, and parsed within a few milliseconds. */
export const USUAL_MAX_BYTES = 262_144;

/** Makes a call: one attempt, and another with a new token for each 401 while there are tries left. */
export async function call<T extends { readonly kind: string }>(
  caller: Caller,
  what: Call<T>,
  options: CallOptions = {},
): Promise<T | Failure> {
  const { transport, session } = caller;
  const { rescue } = what;
  for (let attempt = 1; ; attempt += 1) {
    const access = await session.access(options);
    if (access.kind !== 'access') return withoutToken(access);
    const request = requestOf(what, access.grant);
    what.onSend?.();
    const answer = await transport(request, {
      deadline: options.withinMs === undefined ? what.deadline : { allMs: options.withinMs() },
      maxBytes: what.maxBytes,
      signal: options.signal,
      untilConnected: what.untilConnected,
      isEnough: rescue && ((soFar) => rescue(soFar) !== undefined),
      attempt,
    });
    const outcome = judge(what, subjectOf(what, request.url), answer, caller);
    if (!isUnauthorized(outcome) || options.isAside === true) return outcome;
    session.invalidate(access);
    if (attempt >= what.tries) return outcome;
  }
}

function judge<T>(what: Call<T>, subject: Subject, answer: Answer, { redactor, clock }: Caller): T | Failure {
  const rescued = answer.kind === 'answered' ? what.rescue?.(answer) : undefined;
  if (rescued !== undefined) return rescued;
  const reply = answer.kind === 'answered' ? replyOf(answer, redactor) : answer;
  const success = successOf(subject, reply, clock);
  if (success.kind === 'answered') return what.understand(success, subject);
  if (success.kind !== 'incomplete') return success;
  const received = answer.kind === 'answered' ? answer.text : '';
  return what.whenIncomplete?.(success, received) ?? { kind: 'perhaps', problem: success.problem };
}

/** Without a token nothing was sent, whatever became of the exchange. */
function withoutToken(failure: Failure): Failure {
  if (failure.kind !== 'perhaps') return failure;
  return { ...failure, kind: 'not_processed', hopeless: false };
}

function requestOf(what: Call<unknown>, grant: Grant): WireRequest {
  const headers = {
    authorization: `Bearer ${grant.token}`,
    apikey: grant.anonKey,
    accept: 'application/json',
    ...what.headers,
  };
  return { method: what.method, url: under(grant.account.apiUrl, what.path), headers, body: what.body };
}

function subjectOf(what: Call<unknown>, url: URL): Subject {
  return {
    attempted: what.attempted,
    url,
    isGiven: false,
    whenRejected: what.whenRejected,
  };
}

function isUnauthorized(outcome: {
  readonly kind: string;
}): outcome is Failure & { readonly kind: 'unauthorized' } {
  return outcome.kind === 'unauthorized';
}
