/** A connection of the simulated network, which follows the script of a fault. The service handles the request. */
import type { ModelResponse } from '../../../../sandbox/model/index.ts';
import type { ConnectionListener } from '../../../../src/service/http/connection.ts';
import type { Change, FaultStep } from '../../../support/fault-scripts.ts';
import type { RequestFact } from '../facts.ts';
import type { Loop } from '../loop.ts';
import type { SimProcess } from '../process.ts';

const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();

interface Parts {
  readonly process: SimProcess;
  readonly fact: RequestFact;
  readonly events: ConnectionListener;
  readonly loop: Loop;
  readonly commit: (change: Change) => ModelResponse;
  /** Transforms every response that the service sends. */
  readonly onAnswer: (response: ModelResponse) => ModelResponse;
  /** Called once, before the first byte of the response or the connection's failure reaches the process. */
  readonly onResponse: () => void;
}

/** Opens a connection. Returns a function with which the client hangs up. */
export function connect(script: readonly FaultStep[], parts: Parts): () => void {
  const { process, fact, events, loop, commit, onAnswer, onResponse } = parts;
  const label = `${fact.call} ${fact.subject}`;
  let hasResponded = false;
  /** Whether nothing more reaches the client. */
  let isGone = false;
  let response: ModelResponse = { status: 200, headers: {}, body: '' };
  /** How much of the body the connection has sent to the client. */
  let sent = 0;

  const deliver = (kind: string, task: () => void): void => {
    if (isGone) return;
    if (kind !== 'connected' && !hasResponded) {
      hasResponded = true;
      onResponse();
    }
    process.deliver(kind, label, () => {
      if (!isGone) task();
    });
  };

  const end = (how: 'complete' | 'cut' | 'failed' | 'hung_up', code = ''): void => {
    fact.over ??= { how, atMs: loop.nowMs, step: loop.step, effect: process.effects, code };
    if (!isGone) process.holds -= 1;
    isGone = true;
  };

  const chunk = (bytes: Uint8Array, text: string): void => {
    deliver('chunk', () => {
      fact.text += text;
      events.chunk(bytes);
    });
  };

  const act = (step: FaultStep): void => {
    if ('commit' in step) {
      response = commit(step.commit);
    } else if ('head' in step) {
      const { status, headers, body } = { ...response, ...step.head };
      const answer = onAnswer({ status, headers, body });
      response = answer;
      deliver(`head ${answer.status}`, () => {
        Object.assign(fact, { status: answer.status, answerHeaders: answer.headers });
        events.head(answer.status, answer.headers);
      });
    } else if ('upTo' in step) {
      const { body } = response;
      const to = step.upTo >= 1 ? body.length : Math.floor(step.upTo * body.length);
      const piece = body.slice(sent, to);
      sent = Math.max(sent, to);
      if (piece !== '') chunk(ENCODER.encode(piece), piece);
    } else if ('bytes' in step) {
      chunk(step.bytes, step.bytes.length > 1_000 ? ' ' : DECODER.decode(step.bytes));
    } else if ('end' in step) {
      const isComplete = step.end === 'complete';
      deliver(isComplete ? 'end' : 'cut', () => {
        end(isComplete ? 'complete' : 'cut');
        events.end(isComplete);
      });
    } else if ('failed' in step) {
      const { code = '' } = step.failed;
      deliver(`failed ${code}`, () => {
        end('failed', code);
        events.failed(step.failed);
      });
    }
  };

  const play = (at: number): void => {
    const step = script[at];
    if (step === undefined) return;
    loop.at(loop.nowMs + (step.ms ?? 0), () => {
      const isOut = isGone || !process.alive;
      if (!('connected' in step)) {
        if (!isOut || 'commit' in step) act(step);
        play(at + 1);
        return;
      }
      // The client sends its bytes when it handles the event. After that, the service does not need the client.
      deliver('connected', () => {
        fact.connectedAtMs = loop.nowMs;
        fact.connectedStep = loop.step;
        play(at + 1);
        events.connected();
      });
    });
  };

  process.holds += 1;
  play(0);
  return () =>
    process.whenReached(() => {
      if (isGone || !process.alive) return;
      end('hung_up');
      loop.note(process.label, 0, 'hung up', label);
    });
}
