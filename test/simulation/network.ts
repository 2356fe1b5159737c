/* The network between a process and the service, at the seam `send`: requests with results, not sockets with bytes. */
import { answer, kindOf } from '../../sandbox/model/index.ts';
import type { Answer, Answered, HttpRequest, Limits, Send } from '../../src/service/send.ts';
import { pathOf } from '../support/network.ts';
import { withEcho } from './echo.ts';
import { FAULT_EFFECTS } from './faults.ts';
import type { RequestHistory } from './history.ts';
import { KEY, type Machine } from './machine.ts';
import type { SimProcess } from './process.ts';
import { createRandom, type Random } from './random.ts';
import { CALLS, type Call, type Fault, type RequestPhase } from './scenario.ts';

/** How long after the client's failure the service processes a request late. */
const LATE_MS = 3_000;

/** Creates the `send` of a process. */
export function createNetwork(process: SimProcess): Send {
  const counts = new Map<Call, number>();
  return (request, limits) =>
    new Promise((resolve) => {
      const { machine, spec, history } = process;
      const call = kindOf(machine.service, { method: request.method, path: pathOf(request) }) as Call;
      const subject = subjectOf(request);
      process.perform(`sends   ${call} ${subject}`, () => {
        const nth = (counts.get(call) ?? 0) + 1;
        counts.set(call, nth);
        const fault = faultOf(machine, spec.faults, process.role, call, nth);
        const record: RequestHistory = {
          call,
          subject,
          url: request.url.href,
          secret: request.headers['authorization']?.replace(/^Bearer /, '') ?? '',
          sent: machine.instant(),
          fault: fault?.what,
        };
        history.requests.push(record);
        const random = createRandom(machine.scenario.seed, process.pid, CALLS.indexOf(call), nth);
        new Exchange({ process, request, limits, record, fault, nth, random }, resolve).begin();
      });
    });
}

/** Returns the id of the run or pipeline that a request is about. */
function subjectOf({ url, body = '' }: HttpRequest): string {
  return url.searchParams.get('id')?.replace(/^eq\./, '') ?? /"p_pipeline_id":"([^"]*)"/.exec(body)?.[1] ?? '';
}

function faultOf(
  machine: Machine,
  faults: readonly Fault[],
  on: Fault['on'],
  call: Call,
  nth: number,
): Fault | undefined {
  const own = faults.find((each) => each.on === on && each.call === call && nth >= each.from && nth <= each.to);
  const outage = machine.scenario.service.outages.find(
    ({ fromMs, toMs }) => machine.now >= fromMs && machine.now < toMs,
  );
  if (own !== undefined || outage === undefined) return own;
  const what = FAULT_EFFECTS[outage.what].calls?.includes(call) === false ? 'http_503' : outage.what;
  return { on, call, from: nth, to: nth, what, processed: 'never', ms: 0 };
}

interface Parts {
  readonly process: SimProcess;
  readonly request: HttpRequest;
  readonly limits: Limits;
  readonly record: RequestHistory;
  readonly fault: Fault | undefined;
  readonly nth: number;
  readonly random: Random;
}

/** One request and its answer. */
class Exchange {
  readonly #parts: Parts;
  readonly #resolve: (answer: Answer) => void;
  readonly #timers: (() => void)[] = [];
  #isConnected = false;
  #isOver = false;
  /** The response head and body, once they have arrived in part. */
  #partial: Answered | undefined;

  constructor(parts: Parts, resolve: (answer: Answer) => void) {
    this.#parts = parts;
    this.#resolve = resolve;
  }

  begin(): void {
    const { fault, limits } = this.#parts;
    const { signal } = limits;
    this.#phase('sent');
    if (signal?.aborted) {
      this.#finish({ kind: 'aborted' });
      return;
    }
    signal?.addEventListener('abort', this.#onAbort);
    this.#deadline(limits.withinMs, () => limits.answerMs === undefined || !this.#isConnected);
    const { connect } = fault === undefined ? {} : FAULT_EFFECTS[fault.what];
    if (connect === 'hangs') return;
    const ms = connect === 'slow' ? (fault?.ms ?? 0) : this.#leg();
    this.#after(ms, () => (connect === 'refused' ? this.#fail('ECONNREFUSED') : this.#connected()));
  }

  #connected(): void {
    const { fault, limits, process, record } = this.#parts;
    this.#isConnected = true;
    record.connected = process.machine.instant();
    process.machine.log(process.name, 0, `          ${record.call} is connected`);
    if (limits.answerMs !== undefined) limits.signal?.removeEventListener('abort', this.#onAbort);
    this.#phase('connected');
    if (limits.answerMs !== undefined) this.#deadline(limits.answerMs, () => true);
    const { processed, response } = fault === undefined ? PLAIN : FAULT_EFFECTS[fault.what];
    const isProcessed = processed === 'yes' || (processed === 'maybe' && fault?.processed !== 'never');
    const isLate = processed === 'maybe' && fault?.processed === 'late';
    const arrivesMs = this.#leg();
    // From here on, the service processes the request even if the process dies.
    const right = isProcessed
      ? new Promise<Answered>((arrive) => {
          const task = (): void => arrive(this.#process());
          process.machine.clock.after(isLate ? arrivesMs + LATE_MS : arrivesMs, task);
        })
      : Promise.resolve(EMPTY);
    if (response === 'silent') return;
    if (response === 'reset') {
      this.#after(arrivesMs, () => this.#fail('ECONNRESET'));
      return;
    }
    if (isLate) {
      this.#after(arrivesMs + this.#leg(), () => this.#receive(EMPTY));
      return;
    }
    const backMs = this.#leg() + (response === 'slow' ? (fault?.ms ?? 0) : 0);
    if (!isProcessed) {
      this.#after(arrivesMs + backMs, () => this.#receive(EMPTY));
      return;
    }
    void right.then((answered) => this.#after(backMs, () => this.#receive(answered)));
  }

  /** The service processes the request. */
  #process(): Answered {
    const { fault, process, random, record, request } = this.#parts;
    const { machine } = process;
    const { service } = machine;
    const effect = fault === undefined ? undefined : FAULT_EFFECTS[fault.what].service?.(random, fault);
    this.#phase('processed');
    record.processed = machine.instant();
    const { method, headers, body = '' } = request;
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const {
      status,
      headers: answered,
      body: text,
    } = answer(service, { method, path: pathOf(request), headers: named, body }, machine.now, effect);
    machine.log('service', 0, `processes ${record.call} ${record.subject}: ${status} ${text.slice(0, 160)}`);
    return { kind: 'answered', status, headers: answered, text, body: 'complete' };
  }

  /** The response arrives, changed by the fault. */
  #receive(right: Answered): void {
    const { fault, limits, process, random, record } = this.#parts;
    const response = fault === undefined ? undefined : FAULT_EFFECTS[fault.what].response;
    const changed = typeof response === 'function' ? response(right, random) : right;
    const { echo } = process.machine.scenario.service;
    const echoed = echo === null ? changed : withEcho(changed, echo, record.call, KEY, record.secret);
    const isEnough = limits.isEnough?.(echoed.text) === true;
    if (echoed.body === 'stalled' && !isEnough) this.#partial = echoed;
    else this.#finish(isEnough ? { ...echoed, body: 'complete' } : echoed);
  }

  readonly #onAbort = (): void => this.#finish({ kind: 'aborted' });

  #fail(code: string, message = `simulated ${code}`): void {
    this.#finish({ kind: 'unanswered', connected: this.#isConnected, code, message });
  }

  #deadline(ms: number, applies: () => boolean): void {
    const { process } = this.#parts;
    this.#timers.push(
      process.after(process.lasts(ms, true), () => {
        if (!applies()) return;
        if (this.#partial === undefined) this.#fail('DEADLINE', 'no response in time');
        else this.#finish(this.#partial);
      }),
    );
  }

  #finish(result: Answer): void {
    const { limits, process, record } = this.#parts;
    if (this.#isOver) return;
    this.#isOver = true;
    for (const stop of this.#timers) stop();
    limits.signal?.removeEventListener('abort', this.#onAbort);
    const take = (): void => {
      record.answered = process.machine.instant();
      record.answer = result;
      this.#resolve(result);
    };
    // An abort is not an event: the code that aborts learns about it at once.
    if (result.kind === 'aborted') {
      take();
      return;
    }
    this.#phase('answered');
    process.deliver(`receives ${record.call}: ${textOf(result)}`, take);
  }

  /** Something happens to this request later, unless it has finished or its process is dead. */
  #after(ms: number, task: () => void): void {
    const { process } = this.#parts;
    if (this.#isOver) return;
    this.#timers.push(process.after(process.lasts(ms, false), task));
  }

  #leg(): number {
    const { process, random } = this.#parts;
    return 1 + random.below(process.machine.scenario.service.latencyMs);
  }

  #phase(phase: RequestPhase): void {
    const { nth, process, record } = this.#parts;
    process.onPhase(record.call, nth, phase);
  }
}

const PLAIN: { readonly processed: 'yes'; readonly response?: undefined } = { processed: 'yes' };
const EMPTY: Answered = { kind: 'answered', status: 200, headers: {}, text: '', body: 'complete' };

function textOf(result: Exclude<Answer, { kind: 'aborted' }>): string {
  if (result.kind === 'unanswered')
    return `${result.connected ? 'lost after connecting' : 'not connected'} (${result.code})`;
  return `${result.status} ${result.body === 'complete' ? '' : `${result.body} `}${result.text.slice(0, 160)}`;
}
