/*
 * The network between a process and the service, at the seam `send`: requests with results, not sockets with bytes. The
 * sandbox's model answers in virtual time, and faults decide what goes wrong.
 */
import {
  type CallKind,
  effectOf,
  type Fault,
  FaultPlan,
  misbehaviorWith,
  processedWith,
  type Reply,
  type RequestFault,
  type Role,
  type What,
} from '../../sandbox/faults.ts';
import { aboutOf, answer, kindOf, type World as Service } from '../../sandbox/model/index.ts';
import type { Answer, Answered, HttpRequest, Limits, Send } from '../../src/service/send.ts';

/** A point in time. `order` also orders what happens at the same time. */
export interface Instant {
  readonly at: number;
  readonly order: number;
}

/** A sent request and its result. Times are in ms since the machine started. */
export interface SentRequest extends HttpRequest {
  readonly call: CallKind;
  /** The number of this request among those of its kind, from 1. */
  readonly nth: number;
  readonly at: number;
  /** The id of the run or pipeline that the request is about, or '' if it is about none. */
  readonly subject: string;
  readonly sent: Instant;
  /** What the network or the service did wrong. */
  readonly fault: What | undefined;
  connected?: Instant;
  /** When the service processed the request, which may be after the process has given up. */
  processed?: Instant;
  /** When the process received the result. */
  answered?: Instant;
  answer?: Answer;
}

export type RequestPhase = 'sent' | 'connected' | 'processed' | 'answered';

/** One direction of a request: to establish a connection, to the service, or back. */
export type Leg = 'connect' | 'arrive' | 'return';

/** What the network needs to know about the process that uses it. Times are in ms. */
export interface NetworkUser {
  readonly role: Role;
  readonly service: Service;
  readonly faults: readonly Fault[];
  /** Every request of the process so far. */
  readonly requests: SentRequest[];
  now(): number;
  instant(): Instant;
  /** How long one leg of a request takes. */
  legMs(leg: Leg, request: SentRequest): number;
  /** Selects one of several ways in which a fault can show. */
  choiceOf(request: SentRequest): number;
  /** Calls a task on the service's side, even if the process is dead by then. */
  later(ms: number, task: () => void): void;
  /** Calls a task on the side of the process, if it is still alive. The process waits for it. */
  after(ms: number, isByProcessClock: boolean, task: () => void): () => void;
  /** Carries out an effect of the process. */
  perform(what: string, act: () => void): void;
  /** Runs code of the process. */
  deliver(what: string, task: () => void): void;
  onPhase(phase: RequestPhase, request: SentRequest): void;
  log(text: string): void;
  /** Changes a response on its way to the process. */
  changed?(response: Answered, request: SentRequest): Answered;
}

/** How long after the client's failure the service processes a request late. */
const LATE_MS = 3_000;

/** Creates the `send` of a process. */
export function createNetwork(user: NetworkUser): Send {
  const plan = new FaultPlan(user.faults);
  return (request, limits) =>
    new Promise((resolve, reject) => {
      const { requests, role, service } = user;
      const call = kindOf(service, { method: request.method, path: pathOf(request) });
      const subject = subjectOf(request);
      user.perform(`request ${call} ${subject}`, () => {
        const nth = requests.filter((each) => each.call === call).length + 1;
        const about = aboutOf(service, { path: pathOf(request), body: request.body ?? '' });
        const fault = plan.ofRequest({ call, about, on: role, atMs: user.now() });
        const at = user.now();
        const sent: SentRequest = { ...request, call, nth, at, subject, sent: user.instant(), fault: fault?.what };
        requests.push(sent);
        if (fault !== undefined && effectOf(fault).connect === 'bug') reject(new Error('bug: x is undefined'));
        else new Exchange(user, sent, limits, fault, resolve).begin();
      });
    });
}

export function pathOf({ url }: HttpRequest): string {
  return url.pathname + url.search;
}

/** Returns the id of the run or pipeline that a request is about. */
function subjectOf({ url, body = '' }: HttpRequest): string {
  return url.searchParams.get('id')?.replace(/^eq\./, '') ?? /"p_pipeline_id":"([^"]*)"/.exec(body)?.[1] ?? '';
}

const EMPTY: Answered = { kind: 'answered', status: 200, headers: {}, text: '', body: 'complete' };

/** One request and its result. */
class Exchange {
  readonly #user: NetworkUser;
  readonly #request: SentRequest;
  readonly #limits: Limits;
  readonly #fault: RequestFault | undefined;
  readonly #resolve: (answer: Answer) => void;
  readonly #timers: (() => void)[] = [];
  #isConnected = false;
  #isOver = false;
  /** The response head and body, once they have arrived in part. */
  #partial: Answered | undefined;

  constructor(
    user: NetworkUser,
    request: SentRequest,
    limits: Limits,
    fault: RequestFault | undefined,
    resolve: (answer: Answer) => void,
  ) {
    this.#user = user;
    this.#request = request;
    this.#limits = limits;
    this.#fault = fault;
    this.#resolve = resolve;
  }

  begin(): void {
    const { answerMs, signal, withinMs } = this.#limits;
    this.#user.onPhase('sent', this.#request);
    if (signal?.aborted) {
      this.#finish({ kind: 'aborted' });
      return;
    }
    signal?.addEventListener('abort', this.#onAbort);
    this.#deadline(withinMs, () => answerMs === undefined || !this.#isConnected);
    const connect = this.#fault && effectOf(this.#fault).connect;
    if (connect === 'hangs') return;
    const ms = connect === 'slow' ? (this.#fault?.ms ?? 0) : this.#legMs('connect');
    this.#after(ms, () => (typeof connect === 'object' ? this.#fail(connect.error) : this.#connected()));
  }

  #connected(): void {
    const { answerMs, signal } = this.#limits;
    this.#isConnected = true;
    this.#request.connected = this.#user.instant();
    this.#user.log(`          ${this.#request.call} is connected`);
    if (answerMs !== undefined) signal?.removeEventListener('abort', this.#onAbort);
    this.#user.onPhase('connected', this.#request);
    if (answerMs !== undefined) this.#deadline(answerMs, () => true);
    const response = this.#fault && effectOf(this.#fault).response;
    const arrivesMs = this.#legMs('arrive');
    const processed = processedWith(this.#fault);
    // After this line, the service processes the request even if the process dies.
    const right = processed === 'no' ? undefined : this.#process(arrivesMs + (processed === 'late' ? LATE_MS : 0));
    if (response === 'none') return;
    if (typeof response === 'object' && 'error' in response) {
      this.#after(arrivesMs, () => this.#fail(response.error));
      return;
    }
    const backMs = response === 'slow' ? (this.#fault?.ms ?? 0) : this.#legMs('return');
    if (right === undefined || processed === 'late') this.#after(arrivesMs + backMs, () => this.#receive(EMPTY));
    else void right.then((answered) => this.#after(backMs, () => this.#receive(answered)));
  }

  /** The service processes the request after a time. */
  #process(ms: number): Promise<Answered> {
    const user = this.#user;
    return new Promise((resolve) => {
      const task = (): void => resolve(this.#answer());
      if (ms === 0) task();
      else user.later(ms, task);
    });
  }

  #answer(): Answered {
    const user = this.#user;
    const request = this.#request;
    user.onPhase('processed', request);
    request.processed = user.instant();
    const { method, headers, body = '' } = request;
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const effect = misbehaviorWith(this.#fault, user.choiceOf(request));
    const asked = { method, path: pathOf(request), headers: named, body };
    const { body: text, headers: answered, status } = answer(user.service, asked, user.now(), effect);
    user.log(`          the service processes ${request.call} ${request.subject}: ${status} ${text.slice(0, 160)}`);
    return { kind: 'answered', status, headers: answered, text, body: 'complete' };
  }

  /** The response arrives, changed by the fault. */
  #receive(right: Answered): void {
    const { isEnough } = this.#limits;
    const replied = this.#replied(right);
    const received = this.#user.changed?.(replied, this.#request) ?? replied;
    const isAll = isEnough?.(received.text) === true;
    if (received.body === 'stalled' && !isAll) this.#partial = received;
    else this.#finish(isAll ? { ...received, body: 'complete' } : received);
  }

  #replied(right: Answered): Answered {
    const response = this.#fault && effectOf(this.#fault).response;
    const choice = this.#user.choiceOf(this.#request);
    if (Array.isArray(response)) return { ...EMPTY, ...(response[choice % response.length] as Reply) };
    if (response !== 'stalled' && response !== 'cut off') return right;
    // By default, half of the body arrives.
    const part = [0.5, 0, 0.3, 0.7, 1][choice % 5] ?? 0.5;
    return { ...right, text: right.text.slice(0, Math.floor(right.text.length * part)), body: response };
  }

  readonly #onAbort = (): void => this.#finish({ kind: 'aborted' });

  #fail(code: string, message = `simulated ${code}`): void {
    this.#finish({ kind: 'unanswered', connected: this.#isConnected, code, message });
  }

  #deadline(ms: number, applies: () => boolean): void {
    const stop = this.#user.after(ms, true, () => {
      if (!applies()) return;
      if (this.#partial === undefined) this.#fail('DEADLINE', 'no response in time');
      else this.#finish(this.#partial);
    });
    this.#timers.push(stop);
  }

  #finish(result: Answer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const stop of this.#timers) stop();
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    const take = (): void => {
      this.#request.answered = this.#user.instant();
      this.#request.answer = result;
      this.#resolve(result);
    };
    // An abort is not an event: the code that aborts learns about it immediately.
    if (result.kind === 'aborted') {
      take();
      return;
    }
    this.#user.onPhase('answered', this.#request);
    this.#user.deliver(`receives ${this.#request.call}: ${textOf(result)}`, take);
  }

  /** Something happens to this request later, unless it has finished or its process is dead. */
  #after(ms: number, task: () => void): void {
    if (!this.#isOver) this.#timers.push(this.#user.after(ms, false, task));
  }

  #legMs(leg: Leg): number {
    return this.#user.legMs(leg, this.#request);
  }
}

function textOf(result: Exclude<Answer, { kind: 'aborted' }>): string {
  if (result.kind === 'unanswered')
    return `${result.connected ? 'lost after connecting' : 'not connected'} (${result.code})`;
  return `${result.status} ${result.body === 'complete' ? '' : `${result.body} `}${result.text.slice(0, 160)}`;
}
