import type { ModelEffect, ModelResponse, World } from '../../../sandbox/model/index.ts';
import { answer, kindOf } from '../../../sandbox/model/index.ts';
import type { Wire, WireEvents, WireRequest } from '../../../src/service/wire.ts';
import type { Chronicle } from './chronicle.ts';
import type { Loop } from './loop.ts';
import type { RequestFact } from './network/request-fact.ts';
import type { Random } from './random.ts';
import { faultScript, plainScript, type Step } from './scripts.ts';
import type { SimProcess } from './sim-process.ts';
import type { Fault, LifeSpec } from './spec.ts';

const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();
const API = /\/rest\/v1\/jobs\?id=eq\.([0-9a-f-]{36})/;
const PIPELINE = /"p_pipeline_id":"([0-9a-f-]{36})"/;

/** The network and, at its end, the service. */
export class Network {
  readonly requests: RequestFact[] = [];
  /** Called before a request that a fault strikes leaves: the number of the fault. */
  onFault: (fault: number, process: SimProcess) => void = () => undefined;
  readonly #counts = new Map<string, number>();
  readonly #spec: LifeSpec;
  readonly #world: World;
  readonly #loop: Loop;
  readonly #random: Random;
  readonly #chronicle: Chronicle;

  constructor(parts: {
    readonly spec: LifeSpec;
    readonly world: World;
    readonly loop: Loop;
    readonly random: Random;
    readonly chronicle: Chronicle;
  }) {
    this.#spec = parts.spec;
    this.#world = parts.world;
    this.#loop = parts.loop;
    this.#random = parts.random;
    this.#chronicle = parts.chronicle;
  }

  wireOf(process: SimProcess): Wire {
    return (request, events) => this.#send(process, request, events);
  }

  #send(process: SimProcess, request: WireRequest, events: WireEvents): () => void {
    if (!process.alive) return () => undefined;
    const path = request.url.pathname + request.url.search;
    const call = this.#hostOf(request) ? kindOf(this.#world, { method: request.method, path }) : 'other';
    const key = `${process.name} ${call}`;
    const nth = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, nth);
    const index = this.#spec.faults.findIndex(
      (one) => one.on === process.name && one.call === call && nth >= one.from && nth <= one.to,
    );
    const fault = this.#spec.faults[index] ?? this.#outage();
    if (index >= 0) this.onFault(index, process);
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
      return this.#play(process, fact, events, this.#script(fault, fact));
    };
    return process.perform(
      'request',
      `${call} ${subject}${fault ? ` !${fault.what}` : ''}`,
      send,
      () => undefined,
    );
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
    const leg = (): number => 1 + this.#random.below(latencyMs);
    const legs = { connect: leg(), send: leg(), work: leg(), back: leg() };
    const split = this.#random.chance(0.8) ? 1 : this.#random.next();
    const echo = `sent: ${fact.headers['authorization'] ?? ''}`;
    return fault === undefined ? plainScript(legs, split) : faultScript(fault, legs, split, echo);
  }

  #play(process: SimProcess, fact: RequestFact, events: WireEvents, script: readonly Step[]): () => void {
    let gone = false;
    let response: ModelResponse | undefined;
    let sent = 0;
    process.holds += 1;
    const leave = (): void => {
      if (!gone) process.holds -= 1;
      gone = true;
    };
    const over = (how: 'complete' | 'cut' | 'failed' | 'hung_up', code = ''): void => {
      fact.over ??= { how, atMs: this.#loop.nowMs, step: this.#loop.step, effect: process.effects, code };
    };
    const label = `${fact.call} ${fact.subject}`;
    const deliver = (kind: string, task: () => void): void => {
      if (gone) return;
      process.deliver(kind, label, () => {
        if (!gone) task();
      });
    };
    const act = (step: Step): void => {
      switch (step.do) {
        case 'commit':
          response = this.#commit(fact, step);
          return;
        case 'connected':
          // Whoever is connected has sent: what the service makes of it does not depend on the client any more.
          if (!gone && process.alive) fact.connectedAtMs = this.#loop.nowMs;
          deliver('connected', () => events.connected());
          return;
        case 'head':
          response = {
            status: step.status ?? response?.status ?? 200,
            headers: step.headers ?? response?.headers ?? {},
            body: step.body ?? response?.body ?? '',
          };
          deliver(`head ${response.status}`, () => {
            fact.status = response?.status ?? 0;
            fact.answerHeaders = response?.headers ?? {};
            events.head(fact.status, fact.answerHeaders);
          });
          return;
        case 'body': {
          const body = response?.body ?? '';
          const to = step.upTo >= 1 ? body.length : Math.floor(step.upTo * body.length);
          const piece = body.slice(sent, to);
          sent = Math.max(sent, to);
          if (piece === '') return;
          deliver('chunk', () => {
            fact.text += piece;
            events.chunk(ENCODER.encode(piece));
          });
          return;
        }
        case 'bytes':
          deliver('chunk', () => {
            fact.text += step.bytes.length > 1_000 ? ' ' : DECODER.decode(step.bytes);
            events.chunk(step.bytes);
          });
          return;
        case 'end':
          deliver(step.complete ? 'end' : 'cut', () => {
            over(step.complete ? 'complete' : 'cut');
            leave();
            events.end(step.complete);
          });
          return;
        case 'fail':
          deliver(`failed ${step.code ?? ''}`, () => {
            over('failed', step.code);
            leave();
            events.failed({ message: step.message, ...(step.code !== undefined && { code: step.code }) });
          });
      }
    };
    const play = (at: number): void => {
      const step = script[at];
      if (step === undefined) return;
      this.#loop.at(this.#loop.nowMs + step.ms, () => {
        const isOut = gone || !process.alive;
        if (isOut && fact.connectedAtMs === undefined) return;
        if (!isOut || step.do === 'commit') act(step);
        play(at + 1);
      });
    };
    play(0);
    return () => {
      if (gone || !process.alive) return;
      over('hung_up');
      this.#chronicle.note(process.name, 0, 'hung up', label);
      leave();
    };
  }

  #commit(fact: RequestFact, step: Extract<Step, { do: 'commit' }>): ModelResponse {
    const world = this.#world;
    fact.committedAtMs = this.#loop.nowMs;
    this.#chronicle.note('service', 0, 'commit', `${fact.call} ${fact.subject}`);
    const { pathname, search } = new URL(fact.url);
    const request = { method: fact.method, path: pathname + search, headers: fact.headers, body: fact.body };
    const respond = (how?: ModelEffect): ModelResponse => {
      if (how !== undefined) world.rules.push({ kind: 'any', how });
      const response = answer(world, request, this.#loop.nowMs);
      if (how !== undefined) world.rules.pop();
      return response;
    };
    const response = respond(step.how);
    if (step.edit === undefined || response.status !== 200) return response;
    return { ...response, body: step.edit(response.body) };
  }
}
