import type http from 'node:http';
import type { ClientRequest, RequestOptions } from 'node:http';
import { isIP, type Socket } from 'node:net';
import tls from 'node:tls';
import { withoutBrackets } from '../base/address.ts';

/**
 * Corrects what a proxy agent of the package `tunnel` does with its CONNECT and the TLS handshake behind it. Other
 * agents are left alone.
 *
 * @param url where the request goes
 * @param onHangUp is given what destroys the CONNECT. The agent keeps it to itself: one to a proxy that never answers
 *   would outlive the request that it is for, and keep the process alive. An established tunnel ends with the request.
 */
export function adaptTunnel(agent: http.Agent, url: URL, onHangUp: (destroy: () => void) => void): void {
  if (!isTunnel(agent)) return;
  const { request: connect, proxyOptions } = agent;
  const authorization = authorizationOf(proxyOptions.proxyAuth);
  proxyOptions.proxyAuth = undefined;
  const secure = url.protocol === 'https:';
  const usualPort = secure ? '443' : '80';
  const authority = `${url.hostname}:${url.port === '' ? usualPort : url.port}`;
  // The agent knows no IPv6 addresses: it looks up the brackets of the proxy's, and leaves them out of the host's.
  // And it has the certificate of a proxy checked against the name of the host.
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
  if (secure) encrypt(agent, withoutBrackets(url.hostname));
}

/** As the agent's own `createSocket`, but with the name that node:https would ask for. */
function encrypt(agent: Tunnel, host: string): void {
  const { createSocket } = Object.getPrototypeOf(agent) as Tunnel;
  agent.createSocket = (options, done) => {
    createSocket.call(agent, options, (socket) => {
      done(tls.connect({ socket, host, servername: serverName(host) }));
    });
  };
}

/** TLS knows the names of hosts only. An address is checked against the certificate without being sent. */
function serverName(host: string): string {
  return isIP(host) === 0 ? host : '';
}

/** What the package `tunnel` keeps in its agents: its own `request` for each CONNECT, and the proxy's options. */
interface Tunnel {
  request: (options: ConnectOptions) => ClientRequest;
  readonly proxyOptions: { readonly host: string; proxyAuth?: string | undefined };
  createSocket: (options: object, done: (socket: Socket) => void) => void;
}

type ConnectOptions = Omit<RequestOptions, 'headers'> & {
  readonly headers?: Readonly<Record<string, string>>;
  readonly servername?: string;
};

function isTunnel(agent: object): agent is Tunnel {
  return 'proxyOptions' in agent;
}

/** The agent would make this header itself, with `new Buffer`, for which Node prints a warning into the log. */
function authorizationOf(credentials: string | undefined): Readonly<Record<string, string>> {
  if (credentials === undefined) return {};
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
