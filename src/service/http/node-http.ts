import http from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import tls from 'node:tls';
import { HttpClient } from '@actions/http-client';
import { isLoopback, withoutBrackets } from '../../base/address.ts';
import { checkProxy } from '../../base/proxy.ts';
import type { HttpConnection, HttpRequest } from './connection.ts';
import { ConnectionEvents } from './connection-events.ts';

interface HttpParts {
  readonly userAgent: string;
  /** The environment of this process, from which http-client reads the proxy settings. */
  readonly env: NodeJS.ProcessEnv;
}

/** Connections of node:http and node:https, through the agent that the toolkit's HTTP client chooses for proxies. */
export function createHttpConnection(parts: HttpParts): HttpConnection {
  return (request, listener) => {
    const events = new ConnectionEvents(listener);
    try {
      send(request, parts, events);
    } catch (error) {
      // An unusable header or proxy address. It is reported asynchronously, as every other failure is.
      queueMicrotask(() => events.fail(error));
    }
    return () => events.hangUp();
  };
}

function send({ method, url, headers, body }: HttpRequest, parts: HttpParts, events: ConnectionEvents): void {
  const secure = url.protocol === 'https:';
  setProxy(url, parts.env);
  // A client per request, so that no connection is reused and no request is queued. Without options, the client
  // would limit its sockets, and Node would then send `connection: keep-alive`.
  const client = new HttpClient(parts.userAgent, undefined, { keepAlive: false });
  const agent = client.getAgent(url.href);
  adaptTunnel(agent, url, (destroy) => events.onHangUp(destroy));
  const request = (secure ? https : http).request({
    method,
    agent,
    host: withoutBrackets(url.hostname),
    port: url.port,
    path: url.pathname + url.search,
    headers: {
      ...headers,
      // Without this header a server may use any coding (RFC 9110, 12.5.3), and this client decodes none.
      'accept-encoding': 'identity',
      host: url.host,
      'user-agent': client.userAgent,
    },
  });
  events.listenTo(request, secure);
  request.end(body);
}

/**
 * Makes http-client use the proxy that `checkProxy` reads. http-client reads the environment itself, but not for
 * loopback addresses, and it connects directly if it cannot use the value, for example because the scheme is missing.
 *
 * @throws if the value cannot be used
 */
function setProxy(url: URL, env: NodeJS.ProcessEnv): void {
  if (isLoopback(url)) return;
  const secure = url.protocol === 'https:';
  const proxy = checkProxy(env, secure ? 'https:' : 'http:');
  if (!proxy.ok) throw new Error(`the environment variable ${proxy.variable} ${proxy.why}`);
  if (proxy.isPlain) return;
  // If instrumentation has wrapped the environment in a Proxy, an assignment would fail.
  const attributes = { configurable: true, enumerable: true, writable: true };
  const name = secure ? 'https_proxy' : 'http_proxy';
  Object.defineProperty(env, name, { value: proxy.url?.href ?? '', ...attributes });
  // http-client reads the other spelling if this one is empty.
  if (proxy.url === undefined) Object.defineProperty(env, name.toUpperCase(), { value: '', ...attributes });
}

/**
 * Corrects the CONNECT request and the TLS handshake if an agent is a proxy agent of the package `tunnel`.
 *
 * @param onHangUp registers what destroys the CONNECT. The agent does not expose it, so a CONNECT to a proxy that never
 *   answers would outlive its request and keep the process alive. An established tunnel ends with its request.
 */
function adaptTunnel(agent: http.Agent, url: URL, onHangUp: (destroy: () => void) => void): void {
  if (!isTunnel(agent)) return;
  const { request: connect, proxyOptions } = agent;
  const { proxyAuth } = proxyOptions;
  // The agent would create this header with `new Buffer`, for which Node prints a warning into the log.
  proxyOptions.proxyAuth = undefined;
  const authorization = proxyAuth !== undefined && {
    'proxy-authorization': `Basic ${Buffer.from(proxyAuth).toString('base64')}`,
  };
  const secure = url.protocol === 'https:';
  const usualPort = secure ? '443' : '80';
  const authority = `${url.hostname}:${url.port === '' ? usualPort : url.port}`;
  // The agent does not handle IPv6 addresses: it keeps the brackets of the proxy's and drops those of the host's.
  // It also checks a proxy's certificate against the name of the host.
  const proxyHost = withoutBrackets(proxyOptions.host);
  agent.request = (options) => {
    const sent = connect({
      ...options,
      host: proxyHost,
      servername: serverName(proxyHost),
      path: authority,
      headers: { ...options.headers, host: authority, ...authorization },
    });
    onHangUp(() => sent.destroy());
    return sent;
  };
  if (!secure) return;
  const { createSocket } = Object.getPrototypeOf(agent) as Tunnel;
  const host = withoutBrackets(url.hostname);
  // The agent's own `createSocket` would ask for a certificate of another name than node:https does.
  agent.createSocket = (options, done) => {
    createSocket.call(agent, options, (socket) => {
      done(tls.connect({ socket, host, servername: serverName(host) }));
    });
  };
}

/** TLS only sends names of hosts. An address is checked against the certificate without being sent. */
function serverName(host: string): string {
  return isIP(host) === 0 ? host : '';
}

type ConnectOptions = Omit<https.RequestOptions, 'headers'> & { headers?: http.OutgoingHttpHeaders };

/** The members of `tunnel`'s agents that are changed: `request` makes each CONNECT. */
interface Tunnel {
  request: (options: ConnectOptions) => http.ClientRequest;
  readonly proxyOptions: { readonly host: string; proxyAuth?: string | undefined };
  createSocket: (options: object, done: (socket: Socket) => void) => void;
}

function isTunnel(agent: object): agent is Tunnel {
  return 'proxyOptions' in agent;
}
