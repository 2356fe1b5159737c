import { under } from '../base/address.ts';
import type { Clock } from '../base/clock.ts';
import type { Uuid } from '../base/uuid.ts';
import type { CallOptions, Failure, Problem } from './api.ts';
import { classify, type Incomplete } from './classify.ts';
import type { HttpRequest } from './http/connection.ts';
import { type Answer, type Answered, type Limits, type Transport, USUAL_LIMITS } from './http/transport.ts';
import { nonsenseProblem, type Subject } from './problem.ts';
import type { Redactor } from './redact.ts';
import type { Reply } from './reply.ts';
import type { Session } from './session.ts';

/** A request to the API host, and what its answers mean. */
export interface Call<T> extends Pick<Subject, 'attempted' | 'whenRejected'> {
  readonly method: HttpRequest['method'];
  /** Path and query, exactly as they are sent. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `untilConnected`: the caller's signal aborts only the wait for a token and connecting. */
  readonly limits?: Partial<Pick<Limits, 'deadline' | 'maxBytes' | 'untilConnected'>>;
  /** The most requests that are sent: each but the first with a new token, after a 401. */
  readonly attempts: number;
  /** The outcome of an answer that may still be arriving, regardless of its completeness; undefined if it has none. */
  readonly acceptPartial?: (answer: Answered) => T | undefined;
  /** The outcome of a complete 2xx. `unusable` describes an answer that makes no sense: "HTTP 200, but <why>". */
  readonly parse: (reply: Reply, unusable: (why: string, remedy?: string) => Problem) => T | Failure;
  /** The outcome of a 2xx whose body was not received as a whole; by default `maybe_processed`. */
  readonly whenIncomplete?: (incomplete: Incomplete) => T;
  /** Called synchronously right before each request. What it throws prevents the request and is thrown on. */
  readonly onSend?: () => void;
}

/** What all calls share. */
export interface Caller {
  readonly transport: Transport;
  readonly session: Session;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** Runs whose status message is too long to read: later reads and cancels leave it out. */
  readonly longMessages: Set<Uuid>;
}

/** Makes a call: one attempt, and another one with a new token for each 401 while there are attempts left. */
export async function call<T extends { readonly kind: string }>(
  caller: Caller,
  what: Call<T>,
  options: CallOptions = {},
): Promise<T | Failure> {
  const { transport, session } = caller;
  const { acceptPartial } = what;
  const { requestWithinMs = options.withinMs } = options;
  for (let attempt = 1; ; attempt += 1) {
    const grant = await session.grant(options);
    // Without a token nothing was sent, regardless of how the exchange failed.
    if (grant.kind === 'maybe_processed') return { ...grant, kind: 'not_processed', retryable: true };
    if (grant.kind !== 'granted') return grant;
    const url = under(grant.account.apiUrl, what.path);
    const headers = {
      authorization: `Bearer ${grant.token}`,
      apikey: grant.anonKey,
      accept: 'application/json',
      ...what.headers,
    };
    const limits: Limits = {
      ...USUAL_LIMITS,
      ...what.limits,
      ...(requestWithinMs && { deadline: { allMs: requestWithinMs() } }),
      signal: options.signal,
      isEnough: acceptPartial && ((soFar) => acceptPartial(soFar) !== undefined),
      attempt,
    };
    what.onSend?.();
    const answer = await transport({ method: what.method, url, headers, body: what.body }, limits);
    const outcome = outcomeOf(caller, what, url, answer);
    if (outcome.kind !== 'unauthorized' || options.isBackground === true) return outcome;
    session.invalidate(grant);
    if (attempt >= what.attempts) return outcome;
  }
}

function outcomeOf<T>(caller: Caller, what: Call<T>, url: URL, answer: Answer): T | Failure {
  const partial = answer.kind === 'answered' ? what.acceptPartial?.(answer) : undefined;
  if (partial !== undefined) return partial;
  const subject = { ...what, url, isGiven: false };
  const mayTakeLong = (what.limits?.maxBytes ?? 0) > USUAL_LIMITS.maxBytes;
  const result = classify(subject, answer, caller, mayTakeLong);
  if (result.kind === 'answered') {
    return what.parse(result, (why, remedy) => nonsenseProblem(subject, result, why, remedy));
  }
  if (result.kind !== 'incomplete') return result;
  return what.whenIncomplete?.(result) ?? { kind: 'maybe_processed', problem: result.problem };
}
