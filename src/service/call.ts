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

/** A request to the API host, and the interpretation of its responses. */
export interface Call<T> extends Pick<Subject, 'attempted' | 'whenRejected' | 'mayRedirectToResult'> {
  readonly method: HttpRequest['method'];
  /** The path and query, exactly as sent. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `untilConnected` means that the caller's signal can abort only the token wait and the connection attempt. */
  readonly limits?: Partial<Pick<Limits, 'deadline' | 'maxBytes' | 'untilConnected'>>;
  /** Maximum number of requests. Each retry follows a 401 and uses a new token. */
  readonly attempts: number;
  /** Returns the outcome of a response that may still be arriving, or undefined if the outcome is not clear yet. */
  readonly acceptPartial?: (answer: Answered) => T | undefined;
  /** Returns the outcome of a complete 2xx. `unusable` describes an invalid response as "HTTP 200, but <why>". */
  readonly parse: (reply: Reply, unusable: (why: string, remedy?: string) => Problem) => T | Failure;
  /** Returns the outcome of a 2xx with an incomplete body. The default is `maybe_processed`. */
  readonly whenIncomplete?: (incomplete: Incomplete) => T;
  /** Called synchronously right before each request. Throwing prevents the request and makes the call throw. */
  readonly onSend?: () => void;
}

/** The dependencies and state that all calls share. */
export interface Caller {
  readonly transport: Transport;
  readonly session: Session;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** Runs whose status message is too long to read. Later reads and cancels omit the message. */
  readonly longMessages: Set<Uuid>;
}

/** Makes a call with one attempt, plus another attempt with a new token after each 401 while attempts remain. */
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
    // Without a token, the client sent no request, regardless of how the exchange failed.
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
