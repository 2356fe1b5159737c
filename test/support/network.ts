// The network of a fake world: requests that the sandbox's model answers in virtual time, and what can happen to them.
import { answer, type CallKind, type World as Service } from '../../sandbox/model/index.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Answer, Answered, HttpRequest, Limits } from '../../src/service/send.ts';

/** A request as it was sent. Times are in milliseconds since the machine started. */
export interface SentRequest extends HttpRequest {
  readonly call: CallKind;
  /** The number of this request among those of its kind, from 1. */
  readonly nth: number;
  readonly at: number;
}

/**
 * What happens to a request. `service`: the sandbox answers. `refused`: no connection. `unreachable`: connecting takes
 * forever. `reset`: the connection is lost before the service gets the request. `lost`: the same, but after the service
 * has processed it. `silent`: processed, but no response. `lateMs`: the response takes this long. `fails`: an error with
 * this code before or after the connection is established. An answer replaces the service's, which processes nothing.
 */
export type Fate =
  | 'service'
  | 'refused'
  | 'unreachable'
  | 'reset'
  | 'lost'
  | 'silent'
  | { readonly lateMs: number }
  | { readonly fails: string; readonly isConnected: boolean }
  | Partial<Omit<Answered, 'kind'>>;

/** The time that a connection or a response takes. */
const LEG_MS = 10;

export function pathOf({ url }: HttpRequest): string {
  return url.pathname + url.search;
}

interface Network {
  readonly clock: Clock;
  readonly service: Service;
  /** Returns whether the process that sends the request still exists. */
  readonly isAlive: () => boolean;
}

/** Carries one request over a connection that takes `LEG_MS` to establish, with a response `LEG_MS` later. */
export function carry(request: SentRequest, limits: Limits, fate: Fate, network: Network): Promise<Answer> {
  const { clock, service, isAlive } = network;
  const { signal, withinMs, answerMs } = limits;
  return new Promise((resolve) => {
    const timers: (() => void)[] = [];
    let isConnected = false;
    let isOver = false;
    const finish = (result: Answer): void => {
      isOver = true;
      for (const stop of timers) stop();
      signal?.removeEventListener('abort', abort);
      resolve(result);
    };
    const after = (ms: number, task: () => void): void => void timers.push(clock.after(ms, task));
    const fail = (code: string): void =>
      finish({ kind: 'unanswered', connected: isConnected, code, message: `simulated ${code}` });
    const abort = (): void => {
      if (!isConnected || answerMs === undefined) finish({ kind: 'aborted' });
    };
    const error = typeof fate === 'object' && 'fails' in fate ? fate : undefined;
    const connected = (): void => {
      // A dead process sends nothing.
      if (isOver || !isAlive()) return;
      isConnected = true;
      if (answerMs !== undefined) after(answerMs, () => fail('DEADLINE'));
      if (fate === 'reset') {
        fail('ECONNRESET');
        return;
      }
      if (error !== undefined) {
        fail(error.fails);
        return;
      }
      const lateMs = typeof fate === 'object' && 'lateMs' in fate ? fate.lateMs : undefined;
      const isReplaced = typeof fate === 'object' && !('lateMs' in fate || 'fails' in fate);
      const response = isReplaced ? fate : responseOf(request, service, clock.now());
      if (fate !== 'silent')
        after(lateMs ?? LEG_MS, () => (fate === 'lost' ? fail('ECONNRESET') : finish({ ...EMPTY, ...response })));
    };
    if (signal?.aborted === true) {
      finish({ kind: 'aborted' });
      return;
    }
    signal?.addEventListener('abort', abort);
    after(withinMs, () => {
      if (!isConnected || answerMs === undefined) fail('DEADLINE');
    });
    if (error?.isConnected === false) after(LEG_MS, () => fail(error.fails));
    else if (fate === 'refused') after(LEG_MS, () => fail('ECONNREFUSED'));
    else if (fate !== 'unreachable') after(LEG_MS, connected);
  });
}

const EMPTY: Answered = { kind: 'answered', status: 200, headers: {}, text: '', body: 'complete' };

/** Returns the sandbox's response. From here on, the service has processed the request. */
function responseOf(request: SentRequest, service: Service, nowMs: number): Partial<Answered> {
  const { method, headers, body = '' } = request;
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const response = answer(service, { method, path: pathOf(request), headers: named, body }, nowMs);
  return { status: response.status, headers: response.headers, text: response.body };
}
