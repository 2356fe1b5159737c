import type http from 'node:http';
import type { ClientRequest, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Lets the CONNECT of a proxy agent be ended. The agent keeps that request to itself, so that one to a proxy
 * which never answers would outlive the request it is for, and keep the process alive.
 * `onHangUp` is given what destroys the CONNECT and the connection that it made. Other agents are left alone.
 */
export function watchTunnel(agent: http.Agent, onHangUp: (destroy: () => void) => void): void {
  if (!isTunnel(agent)) return;
  const connect = agent.request;
  agent.request = (options) => {
    const sent = connect(options);
    onHangUp(() => sent.destroy());
    sent.once('connect', (_answer: unknown, socket: Socket) => onHangUp(() => socket.destroy()));
    return sent;
  };
}

/** The package `tunnel` calls its own `request` for each CONNECT. */
interface Tunnel {
  request: (options: RequestOptions) => ClientRequest;
}

function isTunnel(agent: object): agent is Tunnel {
  return 'request' in agent && typeof agent.request === 'function';
}
