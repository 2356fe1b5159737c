import type http from 'node:http';
import type { ClientRequest, RequestOptions } from 'node:http';

/**
 * Lets the CONNECT of a proxy agent be ended. The agent keeps that request to itself, so that one to a proxy
 * which never answers would outlive the request it is for, and keep the process alive.
 * `onHangUp` is given what destroys the CONNECT; the connection that it made ends with the request that it is for.
 * Other agents are left alone.
 */
export function watchTunnel(agent: http.Agent, onHangUp: (destroy: () => void) => void): void {
  if (!isTunnel(agent)) return;
  const { request: connect, proxyOptions } = agent;
  const authorization = authorizationOf(proxyOptions.proxyAuth);
  proxyOptions.proxyAuth = undefined;
  agent.request = (options) => {
    const sent = connect({ ...options, headers: { ...options.headers, ...authorization } });
    onHangUp(() => sent.destroy());
    return sent;
  };
}

/** What the package `tunnel` keeps in its agents: its own `request` for each CONNECT, and the proxy's options. */
interface Tunnel {
  request: (options: ConnectOptions) => ClientRequest;
  readonly proxyOptions: { proxyAuth?: string | undefined };
}

type ConnectOptions = Omit<RequestOptions, 'headers'> & {
  readonly headers?: Readonly<Record<string, string>>;
};

function isTunnel(agent: object): agent is Tunnel {
  return 'proxyOptions' in agent;
}

/** The agent would make this header itself, with `new Buffer`, for which Node prints a warning into the log. */
function authorizationOf(credentials: string | undefined): Readonly<Record<string, string>> {
  if (credentials === undefined) return {};
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
