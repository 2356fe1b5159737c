import type { Clock } from '../../src/base/clock.ts';
import { asUuid } from '../../src/base/uuid.ts';
import type { Service } from '../../src/service/api.ts';
import { createService } from '../../src/service/client.ts';
import type { ConnectionError } from '../../src/service/http/connection.ts';

export const KEY = `ak_${'Zx81Qw72'.repeat(5)}`;
/** A token that is as long as a typical JSON Web Token. */
export const TOKEN = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${'eyJzdWIiOiIx'.repeat(60)}.c2lnbmF0dXJl`;
export const ID = '11111111-2222-4333-8444-555555555555';

/** A response or an error that a connection delivers. */
export interface Delivery {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The number of bytes in each chunk of the body. By default, the body arrives in one chunk. */
  readonly piece?: number;
  readonly error?: ConnectionError & { readonly connected: boolean };
}

/** Timers never fire, because every response arrives at once. */
const CLOCK: Clock = { now: () => performance.now(), wall: () => Date.now(), after: () => () => undefined };

const GRANT: Delivery = {
  body: JSON.stringify({ token: TOKEN, backend_url: 'https://api.example.test', backend_anon_key: 'anon' }),
};

function chunksOf({ body = '', piece }: Delivery): readonly Uint8Array[] {
  const bytes = Buffer.from(body);
  if (piece === undefined) return [bytes];
  return Array.from({ length: Math.ceil(bytes.length / piece) }, (_, index) =>
    bytes.subarray(index * piece, (index + 1) * piece),
  );
}

/** Returns a function that makes a call with the real client. `delivery` answers the exchange or every other call. */
export function serviceWith(call: string, delivery: Delivery): () => Promise<unknown> {
  // Encode the body in advance, because the benchmark only measures the parsing.
  const prepared = [GRANT, delivery].map((each) => ({ ...each, chunks: chunksOf(each) }));
  const [grant, answer] = prepared;
  if (grant === undefined || answer === undefined) throw new Error('unreachable');
  const open = (): Service =>
    createService({
      clock: CLOCK,
      baseUrl: new URL('https://app.example.test'),
      apiKey: KEY,
      onSecret: () => undefined,
      onTrace: () => undefined,
      connection(request, events) {
        const isGrant = call !== 'connect' && request.url.pathname.endsWith('/bootstrap');
        const { status = 200, headers = {}, chunks, error } = isGrant ? grant : answer;
        if (error?.connected !== false) events.connected();
        if (error !== undefined) {
          events.failed(error);
          return () => undefined;
        }
        let isAborted = false;
        events.head(status, headers);
        for (const chunk of chunks) if (!isAborted) events.chunk(chunk);
        if (!isAborted) events.end(true);
        return () => {
          isAborted = true;
        };
      },
    });
  const service = open();
  const id = asUuid(ID);
  if (id === undefined) throw new Error(`${ID} is not a UUID.`);
  switch (call) {
    case 'connect':
      return () => open().connect();
    case 'list':
      return () => service.list({ isBackground: true });
    case 'trigger': {
      const order = { pipelineId: id, fullResync: false, resetTarget: false };
      return () => service.trigger(order, { onSend: () => undefined });
    }
    case 'read':
      return () => service.read(id);
    default:
      return () => service.cancel(id);
  }
}
