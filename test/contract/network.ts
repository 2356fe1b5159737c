import { syncBuiltinESMExports } from 'node:module';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { Service } from '../../src/service/api.ts';
import { createService } from '../../src/service/client.ts';
import { createHttpConnection } from '../../src/service/http/node-http.ts';
import { API_KEY, bootstrap } from '../support/service.ts';

const BASE = 'https://app.example.test';
const API = 'https://api.example.test';

/** A request as it reached the network. */
export interface Seen {
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text as it is, anything else as JSON. */
  readonly body?: unknown;
}

export interface Network {
  readonly seen: readonly Seen[];
  /** Requests that no reply was given for. What is left here after a test fails it. */
  readonly unforeseen: string[];
  /** The requests to the API host, each as method and path with query. */
  readonly calls: () => readonly Seen[];
  /** Answers the nth request to the API host, and all after the last one of these, with it. */
  readonly reply: (...replies: readonly Reply[]) => void;
  /** Answers every request to an address, `*` included, with what `answer` makes of it. */
  readonly serveWith: (address: string, answer: (seen: Seen) => Reply) => void;
  /** As `reply`, for the token exchange, instead of three tokens called `token-<n>`. */
  readonly grant: (...replies: readonly Reply[]) => void;
  /** The same for the token exchange of another host. */
  readonly grantAt: (base: string, ...replies: readonly Reply[]) => void;
  readonly service: (options?: { readonly baseUrl?: string; readonly apiKey?: string }) => Service;
}

/** The service over the real wire, and msw where the network would be. Every request that is not foreseen fails. */
export function network(): Network {
  const seen: Seen[] = [];
  const unforeseen: string[] = [];
  const server = setupServer();
  server.events.on('request:unhandled', ({ request }) => {
    unforeseen.push(`${request.method} ${request.url}`);
  });

  async function note(request: Request): Promise<Seen> {
    const one = {
      line: `${request.method} ${request.url}`,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    };
    seen.push(one);
    return one;
  }
  function serveWith(address: string, answer: (seen: Seen) => Reply): void {
    server.use(http.all(address, async ({ request }) => respond(answer(await note(request)))));
  }
  function serve(address: string, replies: readonly Reply[]): void {
    let nth = 0;
    serveWith(address, () => {
      nth += 1;
      return replies[Math.min(nth, replies.length) - 1] ?? {};
    });
  }
  const grantAt = (base: string, ...replies: readonly Reply[]): void => serve(`${base}/api/cli/bootstrap`, replies);

  beforeAll(() => {
    server.listen({ onUnhandledFrame: 'error' });
    // Without this, the imports of node:http that were bound before do not see what msw has replaced.
    syncBuiltinESMExports();
  });
  beforeEach(() => grantAt(BASE, ...[1, 2, 3].map((nth) => ({ body: bootstrap({ token: `token-${nth}` }) }))));
  afterEach(() => {
    server.resetHandlers();
    seen.length = 0;
    // Our code turns the error that msw answers with into an outcome, as it should: the test fails here.
    expect(unforeseen.splice(0)).toEqual([]);
  });
  afterAll(() => {
    server.close();
    syncBuiltinESMExports();
  });
  return {
    seen,
    unforeseen,
    calls: () => seen.filter(({ line }) => line.includes(API)),
    reply: (...replies) => serve(`${API}/*`, replies),
    serveWith,
    grant: (...replies) => grantAt(BASE, ...replies),
    grantAt,
    service({ baseUrl = BASE, apiKey = API_KEY } = {}) {
      return createService({
        connection: createHttpConnection({ userAgent: 'run-pipeline/test', env: process.env }),
        clock: systemClock,
        baseUrl: new URL(baseUrl),
        apiKey,
        onSecret: () => {},
      });
    },
  };
}

function respond({ status = 200, headers = {}, body }: Reply): Response {
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  const empty = [204, 304].includes(status);
  return new HttpResponse(empty ? null : text, { status, headers: { 'content-type': 'application/json', ...headers } });
}

/** Both headers that every call after the exchange carries, with a token of the usual exchange. */
export function expectAuthorized(seen: Seen | undefined, token = 'token-1'): void {
  expect(seen?.headers).toMatchObject({ authorization: `Bearer ${token}`, apikey: 'anon-key' });
}
