import { kindOf, type ModelResponse, type World } from '../../../../sandbox/model/index.ts';
import type { Wire, WireEvents, WireRequest } from '../../../../src/service/wire.ts';
import type { RequestPoint } from '../crash-moments.ts';
import type { Loop } from '../loop.ts';
import type { StreamOf } from '../random.ts';
import type { SimProcess } from '../sim-process.ts';
import type { Fault, SingleSpec } from '../spec.ts';
import type { Trace } from '../trace.ts';
import { Connection } from './connection.ts';
import { faultScript } from './fault-script.ts';
import type { RequestFact } from './request-fact.ts';
import { type Commit, plainScript, type Step } from './script.ts';
import { serve } from './service.ts';

const API = /\/rest\/v1\/jobs\?id=eq\.([0-9a-f-]{36})/;
const PIPELINE = /"p_pipeline_id":"([0-9a-f-]{36})"/;

/** The network and, at its end, the service: finds the fault that crashes a request, and opens its connection. */
export class Network {
  readonly requests: RequestFact[] = [];
  /** Called before a request is sent, and before its response reaches the process. */
  onRequest: (point: RequestPoint) => void = () => undefined;
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
  }

  wireOf(process: SimProcess): Wire {
    return (request, events) => this.#send(process, request, events);
  }

  #send(process: SimProcess, request: WireRequest, events: WireEvents): () => void {
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
    const send = (): (() => void) => {
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
        effect: process.effects,
        what: fault?.what === 'none' ? undefined : fault?.what,
        connectedAtMs: undefined,
        committedAtMs: undefined,
        status: undefined,
        answerHeaders: {},
        text: '',
        over: undefined,
      };
      this.requests.push(fact);
      const connection = new Connection({
        process,
        fact,
        events,
        loop: this.#loop,
        trace: this.#trace,
        commit: (step) => this.#commit(fact, step),
        onResponse: () => this.onRequest({ ...point, at: 'response' }),
      });
      return connection.open(this.#script(fault, fact));
    };
    return process.perform(
      'request',
      `${call} ${subject}${fault ? ` !${fault.what}` : ''}`,
      send,
      () => undefined,
    );
  }

  /** Counts from 1, for each key. */
  #countOf(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }

  #hostOf(request: WireRequest): boolean {
    return (
      request.url.host === 'app.example.test' || request.url.host === new URL(this.#world.backendUrl).host
    );
  }

  #outage(): Fault | undefined {
    const now = this.#loop.nowMs;
    const outage = this.#spec.outages.find(({ fromMs, toMs }) => now >= fromMs && now < toMs);
    if (outage === undefined) return undefined;
    const any = { on: 'main', call: 'read', from: 1, to: 1, commit: 'never', ms: 1_000 } as const;
    return { ...any, what: outage.what, retryAfter: null };
  }

  #script(fault: Fault | undefined, fact: RequestFact): readonly Step[] {
    const { latencyMs } = this.#spec;
    const random = this.#streamOf(fact.on, fact.call, fact.nth);
    const leg = (): number => 1 + random.below(latencyMs);
    const legs = { connect: leg(), send: leg(), work: leg(), back: leg() };
    const split = random.chance(0.8) ? 1 : random.next();
    const echo = `sent: ${fact.headers['authorization'] ?? ''}`;
    return fault === undefined ? plainScript(legs, split) : faultScript(fault, legs, split, echo);
  }

  #commit(fact: RequestFact, step: Commit): ModelResponse {
    fact.committedAtMs = this.#loop.nowMs;
    this.#trace.note('service', 0, 'commit', `${fact.call} ${fact.subject}`);
    return serve(this.#world, fact, step, this.#loop.nowMs);
  }
}
