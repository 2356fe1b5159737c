import type { Agent, ClientRequest } from 'node:http';
import type { RequestOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import tls from 'node:tls';
import { HttpClient } from '@actions/http-client';
import type { Tunnel } from './http.ts';
import { portOf, withoutBrackets } from './proxy.ts';

/* Connections through a proxy. This file is loaded only if there is one. */

/** Returns a function that opens a tunnel to a URL's host. It changes the toolkit's agent for proxies where necessary. */
export function tunnelThrough(proxy: URL, url: URL): Tunnel {
  return (options, follow) => {
    // The client reads this variable, but understands fewer spellings of a URL. A plain assignment fails if a tracer has
    // wrapped `process.env` in a Proxy.
    const attributes = { configurable: true, enumerable: true, writable: true };
    Object.defineProperty(process.env, 'https_proxy', { value: proxy.href, ...attributes });
    // Each request has its own client, because no two requests share a connection.
    const agent = new HttpClient().getAgent(url.href) as ProxyAgent;
    // The client exempts a few more hosts, such as those whose IP address ends with a no_proxy entry.
    if (!('proxyOptions' in agent)) return agent;
    const { proxyOptions, request } = agent;
    const { proxyAuth } = proxyOptions;
    // The agent would encode the credentials with `new Buffer`, and Node would print a warning.
    proxyOptions.proxyAuth = undefined;
    const authorization = proxyAuth !== undefined && {
      'proxy-authorization': `Basic ${Buffer.from(proxyAuth).toString('base64')}`,
    };
    // The agent mishandles the brackets of IPv6 addresses, and checks a proxy's certificate against the host's name.
    const proxyHost = withoutBrackets(proxy.hostname);
    const host = withoutBrackets(url.hostname);
    const authority = `${url.hostname}:${portOf(url)}`;
    agent.request = (all) => {
      const connect = request({
        ...all,
        ...options,
        host: proxyHost,
        servername: serverName(proxyHost),
        path: authority,
        headers: { host: authority, ...authorization },
      });
      follow(connect);
      return connect;
    };
    // The agent's own TLS connection checks the certificate against the `host` header, even if that is an IP address.
    const { createSocket } = Object.getPrototypeOf(agent) as ProxyAgent;
    agent.createSocket = (all, done) =>
      createSocket.call(agent, all, (socket) => done(tls.connect({ socket, host, servername: serverName(host) })));
    return agent;
  };
}

/** The members of the client's proxy agent that are changed here. `request` creates the CONNECT. */
interface ProxyAgent extends Agent {
  request: (options: RequestOptions) => ClientRequest;
  createSocket: (options: object, done: (socket: Socket) => void) => void;
  readonly proxyOptions: { proxyAuth?: string | undefined };
}

/** Returns the name that a certificate must have, or '' for an IP address, because SNI allows only host names. */
function serverName(host: string): string {
  return isIP(host) === 0 ? host : '';
}
