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

/** Creates connections with node:http and node:https. The toolkit's HTTP client chooses the agent for proxies. */
export function createHttpConnection(parts: HttpParts): HttpConnection {
  return (request, listener) => {
    const events = new ConnectionEvents(listener);
    try {
      send(request, parts, events);
    } catch (error) {
      // A header or the proxy address is invalid. Report the error asynchronously, like every other failure.
      queueMicrotask(() => events.fail(error));
    }
    return () => events.hangUp();
  };
}

function send({ method, url, headers, body }: HttpRequest, parts: HttpParts, events: ConnectionEvents): void {
  const secure = url.protocol === 'https:';
  setProxy(url, parts.env);
  // Create a client per request, so that requests never share a connection or wait in a queue. Without options, the
  // client would limit its sockets, and Node would then send `connection: keep-alive`.
  const client = new HttpClient(parts.userAgent, undefined, {});
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
      // Without this header, a server may use any coding (RFC 9110, 12.5.3), but this client cannot decode any.
      'accept-encoding': 'identity',
      host: url.host,
      'user-agent': client.userAgent,
    },
  });
  events.listenTo(request, secure);
  request.end(body);
}

/**
 * Makes http-client use the proxy that `checkProxy` reads. http-client reads the environment itself, but ignores it for
 * loopback addresses, and it connects directly if the value is unusable, for example because the scheme is missing.
 *
 * @throws if the value is unusable
 */
function setProxy(url: URL, env: NodeJS.ProcessEnv): void {
  if (isLoopback(url)) return;
  const secure = url.protocol === 'https:';
  const proxy = checkProxy(env, secure ? 'https:' : 'http:');
  if (!proxy.ok) throw new Error(`the environment variable ${proxy.variable} ${proxy.why}`);
  if (proxy.isPlain) return;
  // Define the property, because an assignment fails if instrumentation has wrapped the environment in a Proxy.
  const attributes = { configurable: true, enumerable: true, writable: true };
  const name = secure ? 'https_proxy' : 'http_proxy';
  Object.defineProperty(env, name, { value: proxy.url?.href ?? '', ...attributes });
  // If this variable is empty, http-client reads the other spelling.
  if (proxy.url === undefined) Object.defineProperty(env, name.toUpperCase(), { value: '', ...attributes });
}

/**
 * Fixes the CONNECT request and the TLS handshake if an agent is a proxy agent of the `tunnel` package.
 *
 * @param onHangUp registers a function that destroys the CONNECT, which the agent does not expose. Otherwise, an
 *   unresponsive proxy would keep the CONNECT and the process alive. An established tunnel ends with its request.
 */
function adaptTunnel(agent: http.Agent, url: URL, onHangUp: (destroy: () => void) => void): void {
  if (!isTunnel(agent)) return;
  const { request: connect, proxyOptions } = agent;
  const { proxyAuth } = proxyOptions;
  // The agent would create this header with `new Buffer`, which makes Node print a warning to the log.
  proxyOptions.proxyAuth = undefined;
  const authorization = proxyAuth !== undefined && {
    'proxy-authorization': `Basic ${Buffer.from(proxyAuth).toString('base64')}`,
  };
  const secure = url.protocol === 'https:';
  const usualPort = secure ? '443' : '80';
  const authority = `${url.hostname}:${url.port === '' ? usualPort : url.port}`;
  // The agent mishandles IPv6 addresses: it keeps the brackets of the proxy address and drops those of the host.
  // The agent also checks a proxy's certificate against the name of the host.
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
  // The agent's own `createSocket` requests a certificate for a different name than node:https does.
  agent.createSocket = (options, done) => {
    createSocket.call(agent, options, (socket) => {
      done(tls.connect({ socket, host, servername: serverName(host) }));
    });
  };
}

/** Returns the name for SNI, or '' for an IP address, because TLS sends only host names. */
function serverName(host: string): string {
  return isIP(host) === 0 ? host : '';
}

type ConnectOptions = Omit<https.RequestOptions, 'headers'> & { headers?: http.OutgoingHttpHeaders };

/** The members of `tunnel`'s agents that this module changes. `request` creates each CONNECT. */
interface Tunnel {
  request: (options: ConnectOptions) => http.ClientRequest;
  readonly proxyOptions: { readonly host: string; proxyAuth?: string | undefined };
  createSocket: (options: object, done: (socket: Socket) => void) => void;
}

function isTunnel(agent: object): agent is Tunnel {
  return 'proxyOptions' in agent;
}
