import type { Clock } from '../../src/base/clock.ts';
import { Service } from '../../src/service/api.ts';
import type { Answer, Answered } from '../../src/service/send.ts';

export const KEY = `ak_${'Zx81Qw72'.repeat(5)}`;
/** A token that is as long as a typical JSON Web Token. */
export const TOKEN = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${'eyJzdWIiOiIx'.repeat(60)}.c2lnbmF0dXJl`;
export const ID = '11111111-2222-4333-8444-555555555555';

/** A response, which is complete and successful by default, or an error. */
export type Delivery = Partial<Answered> | Exclude<Answer, Answered>;

/** Timers never fire, because every response arrives at once. */
const CLOCK: Clock = { now: () => performance.now(), wall: () => Date.now(), after: () => () => undefined };

const GRANT: Delivery = {
  text: JSON.stringify({ token: TOKEN, backend_url: 'https://api.example.test', backend_anon_key: 'anon' }),
};

function answerOf(delivery: Delivery): Answer {
  if (delivery.kind === 'unanswered' || delivery.kind === 'aborted') return delivery;
  const { status = 200, headers = {}, text = '', body = 'complete' } = delivery;
  return { kind: 'answered', status, headers, text, body };
}

/** Returns a function that makes a call with the real client. `delivery` answers the exchange or every other call. */
export function serviceWith(call: string, delivery: Delivery): () => Promise<unknown> {
  const [grant, answer] = [answerOf(GRANT), answerOf(delivery)];
  const open = (): Service =>
    new Service({
      clock: CLOCK,
      baseUrl: new URL('https://app.example.test'),
      apiKey: KEY,
      setSecret: () => undefined,
      debug: () => undefined,
      send: ({ url }) => Promise.resolve(call !== 'connect' && url.pathname.endsWith('/bootstrap') ? grant : answer),
    });
  const service = open();
  switch (call) {
    case 'connect':
      return () => open().connect();
    case 'list':
      return () => service.list();
    case 'trigger': {
      const order = { pipelineId: ID, fullResync: false, resetTarget: false };
      return () => service.trigger(order, { onSend: () => true, signal: new AbortController().signal });
    }
    case 'read':
      return () => service.read(ID);
    default:
      return () => service.cancel(ID);
  }
}
