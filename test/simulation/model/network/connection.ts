import type { ModelResponse } from '../../../../sandbox/model/index.ts';
import type { ConnectionListener } from '../../../../src/service/http/connection.ts';
import type { Loop } from '../loop.ts';
import type { SimProcess } from '../sim-process.ts';
import type { Trace } from '../trace.ts';
import type { RequestFact } from './request-fact.ts';
import type { Commit, Step } from './script.ts';

const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();

/** One connection: it does what its script says, and tells the client and the facts of it. */
export class Connection {
  readonly #process: SimProcess;
  readonly #fact: RequestFact;
  readonly #events: ConnectionListener;
  readonly #loop: Loop;
  readonly #trace: Trace;
  readonly #commit: (step: Commit) => ModelResponse;
  readonly #onAnswer: (response: ModelResponse) => ModelResponse;
  readonly #onResponse: () => void;
  #hasResponded = false;
  /** The client hears nothing of it any more. */
  #gone = false;
  #response: ModelResponse | undefined;
  /** How much of the body the client has been sent. */
  #sent = 0;

  constructor(parts: {
    readonly process: SimProcess;
    readonly fact: RequestFact;
    readonly events: ConnectionListener;
    readonly loop: Loop;
    readonly trace: Trace;
    readonly commit: (step: Commit) => ModelResponse;
    /** What the service does to every answer that it sends. */
    readonly onAnswer: (response: ModelResponse) => ModelResponse;
    /** Called once, before the first byte of the response or the connection's failure reaches the process. */
    readonly onResponse: () => void;
  }) {
    this.#process = parts.process;
    this.#fact = parts.fact;
    this.#events = parts.events;
    this.#loop = parts.loop;
    this.#trace = parts.trace;
    this.#commit = parts.commit;
    this.#onAnswer = parts.onAnswer;
    this.#onResponse = parts.onResponse;
  }

  /** Begins to do what its script says. */
  open(script: readonly Step[]): void {
    this.#process.holds += 1;
    this.#play(script, 0);
  }

  /** The client ends it. */
  hangUp(): void {
    this.#process.whenReached(() => this.#hangUp());
  }

  #play(script: readonly Step[], at: number): void {
    const step = script[at];
    if (step === undefined) return;
    this.#loop.at(this.#loop.nowMs + step.ms, () => {
      const isOut = this.#gone || !this.#process.alive;
      if (isOut && this.#fact.connectedAtMs === undefined) return;
      if (step.do === 'connected') {
        this.#connect(() => this.#play(script, at + 1));
        return;
      }
      if (!isOut || step.do === 'commit') this.#act(step);
      this.#play(script, at + 1);
    });
  }

  /** Bytes are sent when the client's loop hears of the connection. From then on the service does not need the client. */
  #connect(goOn: () => void): void {
    this.#deliver('connected', () => {
      this.#fact.connectedAtMs = this.#loop.nowMs;
      this.#fact.connectedStep = this.#loop.step;
      goOn();
      this.#events.connected();
    });
  }

  #act(step: Exclude<Step, { do: 'connected' }>): void {
    switch (step.do) {
      case 'commit':
        this.#response = this.#commit(step);
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
          this.#over(step.complete ? 'complete' : 'cut');
          this.#leave();
          this.#events.end(step.complete);
        });
        return;
      case 'fail': {
        const { code, message } = step;
        this.#deliver(`failed ${code ?? ''}`, () => {
          this.#over('failed', code);
          this.#leave();
          this.#events.failed({ message, ...(code !== undefined && { code }) });
        });
      }
    }
  }

  #head(step: Extract<Step, { do: 'head' }>): void {
    const response = this.#onAnswer({
      status: step.status ?? this.#response?.status ?? 200,
      headers: step.headers ?? this.#response?.headers ?? {},
      body: step.body ?? this.#response?.body ?? '',
    });
    this.#response = response;
    this.#deliver(`head ${response.status}`, () => {
      this.#fact.status = response.status;
      this.#fact.answerHeaders = response.headers;
      this.#events.head(response.status, response.headers);
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
      this.#fact.text += text;
      this.#events.chunk(bytes);
    });
  }

  #deliver(kind: string, task: () => void): void {
    if (this.#gone) return;
    if (kind !== 'connected' && !this.#hasResponded) {
      this.#hasResponded = true;
      this.#onResponse();
    }
    this.#process.deliver(kind, this.#label, () => {
      if (!this.#gone) task();
    });
  }

  get #label(): string {
    return `${this.#fact.call} ${this.#fact.subject}`;
  }

  #over(how: 'complete' | 'cut' | 'failed' | 'hung_up', code = ''): void {
    const { nowMs: atMs, step } = this.#loop;
    this.#fact.over ??= { how, atMs, step, effect: this.#process.effects, code };
  }

  #leave(): void {
    if (!this.#gone) this.#process.holds -= 1;
    this.#gone = true;
  }

  #hangUp(): void {
    if (this.#gone || !this.#process.alive) return;
    this.#over('hung_up');
    this.#trace.note(this.#process.label, 0, 'hung up', this.#label);
    this.#leave();
  }
}
