import { kindOf, type ModelResponse, type World } from '../../../../sandbox/model/index.ts';
import type { ConnectionListener, HttpConnection, HttpRequest } from '../../../../src/service/http/connection.ts';
import type { RequestPoint } from '../crash-moments.ts';
import { canHappen } from '../fault-table.ts';
import type { Loop } from '../loop.ts';
import type { StreamOf } from '../random.ts';
import type { SimProcess } from '../sim-process.ts';
import type { Fault, SingleSpec } from '../spec.ts';
import type { Trace } from '../trace.ts';
import { KEY } from '../world.ts';
import { type Connecting, connectingOf } from './connecting.ts';
import { Connection } from './connection.ts';
import { LONG_ECHO, withEcho } from './echo.ts';
import { faultScript } from './fault-script.ts';
import type { RequestFact } from './request-fact.ts';
import { type Commit, plainScript, type Step } from './script.ts';
import { serve } from './service.ts';

const API = /\/rest\/v1\/jobs\?id=eq\.([0-9a-f-]{36})/;
const PIPELINE = /"p_pipeline_id":"([0-9a-f-]{36})"/;

/** A few answers of megabytes show what many would. */
const MOST_LONG_ECHOES = 6;

/** The network and, at its end, the service: finds the fault that crashes a request, and opens its connection. */
export class Network {
  readonly requests: RequestFact[] = [];
  /** Called before a request is sent, and before its response reaches the process. */
  onRequest: (point: RequestPoint) => void = () => undefined;
  #longEchoes = 0;
  readonly #counts = new Map<string, number>();
  readonly #spec: SingleSpec;
  readonly #world: World;
  readonly #loop: Loop;
  readonly #streamOf: StreamOf;
  readonly #trace: Trace;

  constructor(parts: {
    readonly spec: SingleSpec;
    readonly world: World;
    readonly loop: Loop;
    readonly streamOf: StreamOf;
    readonly trace: Trace;
  }) {
    this.#spec = parts.spec;
    this.#world = parts.world;
    this.#loop = parts.loop;
    this.#streamOf = parts.streamOf;
    this.#trace = parts.trace;
    // A fault that cannot happen must fail here, and not as an error inside the process under test.
    for (const fault of parts.spec.faults) {
      if (!canHappen(fault.what, fault.call)) throw new Error(`${fault.what} cannot happen to ${fault.call}.`);
      const connecting = connectingOf(fault, 1, parts.spec.local);
      faultScript(fault, { connecting, send: 1, work: 1, back: 1 }, 1, '');
    }
  }

  wireOf(process: SimProcess): HttpConnection {
    return (request, events) => this.#send(process, request, events);
  }

  #send(process: SimProcess, request: HttpRequest, events: ConnectionListener): () => void {
    if (!process.alive) return () => undefined;
    const path = request.url.pathname + request.url.search;
    const call = this.#hostOf(request) ? kindOf(this.#world, { method: request.method, path }) : 'other';
    const key = `${process.name} ${call}`;
    const nth = this.#countOf(key);
    const index = this.#spec.faults.findIndex(
      (one) => one.on === process.name && one.call === call && nth >= one.from && nth <= one.to,
    );
    const fault = this.#spec.faults[index] ?? this.#outage();
    const point = { process, number: this.#countOf(process.name), fault: index };
    this.onRequest({ ...point, at: 'request' });
    const subject = API.exec(path)?.[1] ?? PIPELINE.exec(request.body ?? '')?.[1] ?? '';
    let connection: Connection | undefined;
    const send = (_: boolean, effect: number): void => {
      const { connecting, steps } = this.#script(process, fault, { call, nth, headers: request.headers });
      const fact: RequestFact = {
        on: process.name,
        call,
        nth,
        subject,
        method: request.method,
        url: request.url.href,
        headers: request.headers,
        body: request.body ?? '',
        atMs: this.#loop.nowMs,
        step: this.#loop.step,
        effect,
        what: fault?.what === 'none' ? undefined : fault?.what,
        connecting,
        connectedAtMs: undefined,
        connectedStep: undefined,
        committedAtMs: undefined,
        status: undefined,
        answerHeaders: {},
        text: '',
        over: undefined,
      };
      this.requests.push(fact);
      connection = new Connection({
        process,
        fact,
        events,
        loop: this.#loop,
        trace: this.#trace,
        commit: (step) => this.#commit(fact, step),
        onAnswer: (response) => this.#onAnswer(fact, response),
        onResponse: () => this.onRequest({ ...point, at: 'response' }),
      });
      connection.open(steps);
    };
    process.perform('request', `${call} ${subject}${fault ? ` !${fault.what}` : ''}`, send);
    return () => connection?.hangUp();
  }

  /** Counts from 1, for each key. */
  #countOf(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }

  #hostOf(request: HttpRequest): boolean {
    return request.url.host === 'app.example.test' || request.url.host === new URL(this.#world.backendUrl).host;
  }

  #outage(): Fault | undefined {
    const now = this.#loop.nowMs;
    const outage = this.#spec.outages.find(({ fromMs, toMs }) => now >= fromMs && now < toMs);
    if (outage === undefined) return undefined;
    const any = { on: 'main', call: 'read', from: 1, to: 1, commit: 'never', ms: 1_000 } as const;
    return { ...any, what: outage.what, retryAfter: null };
  }

  #script(
    process: SimProcess,
    fault: Fault | undefined,
    request: Pick<RequestFact, 'call' | 'nth' | 'headers'>,
  ): { readonly connecting: Connecting; readonly steps: readonly Step[] } {
    const { latencyMs, local } = this.#spec;
    const random = this.#streamOf(process.name, request.call, request.nth);
    const leg = (): number => 1 + random.below(latencyMs);
    const alone = connectingOf(fault, leg(), local);
    const connecting = { ...alone, lookup: process.lookUp(alone.lookup) };
    const legs = { connecting, send: leg(), work: leg(), back: leg() };
    const split = random.chance(0.8) ? 1 : random.next();
    const echo = `sent: ${request.headers['authorization'] ?? ''}`;
    const steps = fault === undefined ? plainScript(legs, split) : faultScript(fault, legs, split, echo);
    return { connecting, steps };
  }

  #onAnswer({ call, headers }: RequestFact, response: ModelResponse): ModelResponse {
    const { echo } = this.#spec;
    // A pipeline whose name is another one is not found by its name.
    const isNamed = this.#spec.pipelines.some(({ given }) => given === 'name');
    if (echo === null || (echo.where === 'name' && isNamed)) return response;
    const sent = (headers['authorization'] ?? '').replace(/^Bearer /, '');
    const after = this.#longEchoes < MOST_LONG_ECHOES ? echo.after : Math.min(echo.after, LONG_ECHO);
    if (after > LONG_ECHO) this.#longEchoes += 1;
    return withEcho(response, { ...echo, after }, { call, key: KEY, token: sent === KEY ? undefined : sent });
  }

  #commit(fact: RequestFact, step: Commit): ModelResponse {
    fact.committedAtMs = this.#loop.nowMs;
    this.#trace.note('service', 0, 'commit', `${fact.call} ${fact.subject}`);
    return serve(this.#world, fact, step, this.#loop.nowMs);
  }
}
