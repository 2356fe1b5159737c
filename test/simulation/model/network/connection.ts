/** One connection: it does what its script says, and notifies its client. */
import type { ModelResponse } from '../../../../sandbox/model/index.ts';
import type { ConnectionListener } from '../../../../src/service/http/connection.ts';
import type { Loop } from '../loop.ts';
import type { SimProcess } from '../process.ts';
import type { Change, Step } from './faults.ts';
import type { RequestFact } from './request-fact.ts';

const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();

interface Parts {
  readonly process: SimProcess;
  readonly fact: RequestFact;
  readonly events: ConnectionListener;
  readonly loop: Loop;
  /** The service processes the request. */
  readonly commit: (change: Change) => ModelResponse;
  /** What the service does to every answer that it sends. */
  readonly onAnswer: (response: ModelResponse) => ModelResponse;
  /** Called once, before the first byte of the response or the connection's failure reaches the process. */
  readonly onResponse: () => void;
}

export class Connection {
  readonly #of: Parts;
  readonly #label: string;
  #hasResponded = false;
  /** Nothing reaches the client any more. */
  #isGone = false;
  #response: ModelResponse | undefined;
  /** How much of the body the client has been sent. */
  #sent = 0;

  constructor(parts: Parts) {
    this.#of = parts;
    this.#label = `${parts.fact.call} ${parts.fact.subject}`;
  }

  open(script: readonly Step[]): void {
    this.#of.process.holds += 1;
    this.#play(script, 0);
  }

  /** The client ends it. */
  hangUp(): void {
    const { process, loop } = this.#of;
    process.whenReached(() => {
      if (this.#isGone || !process.alive) return;
      this.#end('hung_up');
      loop.note(process.label, 0, 'hung up', this.#label);
    });
  }

  #play(script: readonly Step[], at: number): void {
    const { process, fact, loop } = this.#of;
    const step = script[at];
    if (step === undefined) return;
    loop.at(loop.nowMs + step.ms, () => {
      const isOut = this.#isGone || !process.alive;
      if (isOut && fact.connectedAtMs === undefined) return;
      if (step.do === 'connected') {
        this.#connect(() => this.#play(script, at + 1));
        return;
      }
      if (!isOut || step.do === 'commit') this.#act(step);
      this.#play(script, at + 1);
    });
  }

  /** Bytes are sent when the client handles the event. From then on the service does not need the client. */
  #connect(goOn: () => void): void {
    const { fact, events, loop } = this.#of;
    this.#deliver('connected', () => {
      fact.connectedAtMs = loop.nowMs;
      fact.connectedStep = loop.step;
      goOn();
      events.connected();
    });
  }

  #act(step: Exclude<Step, { do: 'connected' }>): void {
    const { commit, events } = this.#of;
    switch (step.do) {
      case 'commit':
        this.#response = commit(step);
        return;
      case 'head':
        this.#head(step);
        return;
      case 'body':
        this.#body(step.upTo);
        return;
      case 'bytes':
        this.#chunk(step.bytes, step.bytes.length > 1_000 ? ' ' : DECODER.decode(step.bytes));
        return;
      case 'end':
        this.#deliver(step.complete ? 'end' : 'cut', () => {
          this.#end(step.complete ? 'complete' : 'cut');
          events.end(step.complete);
        });
        return;
      case 'fail':
        this.#deliver(`failed ${step.code}`, () => {
          this.#end('failed', step.code);
          events.failed({ message: step.message, code: step.code });
        });
    }
  }

  #head(step: Extract<Step, { do: 'head' }>): void {
    const { status = 200, headers = {}, body = '' } = { ...this.#response, ...step };
    const response = this.#of.onAnswer({ status, headers, body });
    this.#response = response;
    this.#deliver(`head ${response.status}`, () => {
      Object.assign(this.#of.fact, { status: response.status, answerHeaders: response.headers });
      this.#of.events.head(response.status, response.headers);
    });
  }

  #body(upTo: number): void {
    const body = this.#response?.body ?? '';
    const to = upTo >= 1 ? body.length : Math.floor(upTo * body.length);
    const piece = body.slice(this.#sent, to);
    this.#sent = Math.max(this.#sent, to);
    if (piece !== '') this.#chunk(ENCODER.encode(piece), piece);
  }

  #chunk(bytes: Uint8Array, text: string): void {
    this.#deliver('chunk', () => {
      this.#of.fact.text += text;
      this.#of.events.chunk(bytes);
    });
  }

  #deliver(kind: string, task: () => void): void {
    if (this.#isGone) return;
    if (kind !== 'connected' && !this.#hasResponded) {
      this.#hasResponded = true;
      this.#of.onResponse();
    }
    this.#of.process.deliver(kind, this.#label, () => {
      if (!this.#isGone) task();
    });
  }

  #end(how: 'complete' | 'cut' | 'failed' | 'hung_up', code = ''): void {
    const { process, fact, loop } = this.#of;
    fact.over ??= { how, atMs: loop.nowMs, step: loop.step, effect: process.effects, code };
    if (!this.#isGone) process.holds -= 1;
    this.#isGone = true;
  }
}
