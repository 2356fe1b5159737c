import http, { type ClientRequest, type OutgoingHttpHeaders, type RequestOptions } from 'node:http';
import https from 'node:https';
import { HttpClient } from '@actions/http-client';
import { isLoopback, withoutBrackets } from '../base/address.ts';
import { checkProxy } from '../base/proxy.ts';
import { Line } from './http-line.ts';
import { adaptTunnel } from './http-tunnel.ts';
import type { Wire, WireRequest } from './wire.ts';

/** `transport.ts` has deadlines of its own; this only keeps http-client's, of 3 minutes, out of the way. */
const SOCKET_TIMEOUT_MS = 600_000;

interface HttpParts {
  readonly userAgent: string;
  /** The environment of this process, in which http-client looks for proxies. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The wire over node:http, through the toolkit's HTTP client and therefore through the proxies that the runner
 * is set up with. A client serves one request: no connection is ever used twice, and none waits in a queue.
 */
export function createHttpWire(parts: HttpParts): Wire {
  return (request, events) => {
    const line = new Line(events);
    try {
      send(request, parts, line);
    } catch (error) {
      // A header or a proxy address that cannot be used. Reported later, as every failure is.
      queueMicrotask(() => line.fail(error));
    }
    return () => line.hangUp();
  };
}

function send(wanted: WireRequest, parts: HttpParts, line: Line): void {
  const { method, url } = wanted;
  const client = new HttpClient(parts.userAgent, undefined, {
    allowRedirects: false,
    keepAlive: false,
    socketTimeout: SOCKET_TIMEOUT_MS,
  });
  const secure = url.protocol === 'https:';
  setProxy(url, parts.env);
  const agent = client.getAgent(url.href);
  adaptTunnel(agent, url, (destroy) => line.onHangUp(destroy));
  const headers: OutgoingHttpHeaders = {
    ...wanted.headers,
    // Where nothing is said, any coding is welcome (RFC 9110, 12.5.3), and none is understood here.
    'accept-encoding': 'identity',
    host: url.host,
    'user-agent': client.userAgent,
  };
  const request = (options: RequestOptions): ClientRequest => {
    // http-client states a length of 0 where there is no body: right for a POST, odd for a GET.
    if (method === 'GET') delete headers['Content-Length'];
    const sent = (secure ? https : http).request(options);
    line.listenTo(sent, secure);
    return sent;
  };
  const info = {
    parsedUrl: url,
    // `requestRaw` only calls `request`, and only with the options that are made here.
    httpModule: { request } as unknown as typeof http,
    options: {
      method,
      agent,
      host: withoutBrackets(url.hostname),
      // Empty for the usual one, which Node then takes.
      port: url.port,
      path: url.pathname + url.search,
      headers,
    },
  };
  // Its failures are seen in the request's own events, except for those that keep it from being made.
  client.requestRaw(info, wanted.body ?? '').catch((error: unknown) => line.fail(error));
}

/**
 * Has http-client use the proxy that `checkProxy` reads. It reads the environment itself, never for loopback, and
 * connects directly where it cannot use the value, for example because the scheme is missing.
 *
 * @throws if the value cannot be used
 */
function setProxy(url: URL, env: NodeJS.ProcessEnv): void {
  if (isLoopback(url)) return;
  const secure = url.protocol === 'https:';
  const proxy = checkProxy(env, secure ? 'https:' : 'http:');
  if (!proxy.ok) throw new Error(`the environment variable ${proxy.variable} ${proxy.why}`);
  if (proxy.isPlain) return;
  // Where instrumentation has put a Proxy around the environment, an assignment would fail.
  const attributes = { configurable: true, enumerable: true, writable: true };
  const value = proxy.url?.href ?? '';
  Object.defineProperty(env, secure ? 'https_proxy' : 'http_proxy', { value, ...attributes });
}
