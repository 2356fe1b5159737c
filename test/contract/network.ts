// Real requests to servers on this machine.
import dns, { type LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { expect, onTestFinished, vi } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { Service } from '../../src/service/api.ts';
import { createSend } from '../../src/service/http.ts';
import type { Answer, HttpRequest, Limits } from '../../src/service/send.ts';
import { type Host, rawHost } from '../support/hosts.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { API_KEY, bootstrap, make } from '../unit/service/client.ts';

export const realClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

export const HEAD = 'HTTP/1.1 200 OK\r\n';
export const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
export const sized = (length: number): string => `${HEAD}Content-Length: ${length}\r\n\r\n`;

export const at = ({ port }: Pick<Host, 'port'>, protocol = 'http'): URL => new URL(`${protocol}://127.0.0.1:${port}/`);

export interface Options {
  readonly request?: Partial<HttpRequest>;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  readonly env?: Readonly<Record<string, string>>;
  /** The addresses of every host name. By default, this machine. */
  readonly addresses?: LookupAddress[];
  /** Receives the end of each name lookup, which hangs until then. */
  readonly onLookup?: (finish: () => void) => void;
}

/** Sends one request from a machine with these proxy settings, to which every host name has these addresses. */
export function sendTo(url: URL | string, options: Options = {}): Promise<Answer> {
  const { clock = realClock, env = {}, addresses = [{ address: '127.0.0.1', family: 4 }] } = options;
  for (const name of ['https_proxy', 'http_proxy', 'no_proxy'])
    for (const each of [name, name.toUpperCase()]) vi.stubEnv(each, env[each]);
  resolveTo(addresses, options.onLookup);
  const request: HttpRequest = { method: 'GET', url: new URL(url), headers: {}, ...options.request };
  const send = createSend({ env: process.env, userAgent: 'run-pipeline/test', clock });
  return send(request, { withinMs: 20_000, maxBytes: 262_144, ...options.limits });
}

type Lookup = (error: null, addresses: LookupAddress[]) => void;

/** Gives every host name these addresses until the test has finished. */
export function resolveTo(addresses: LookupAddress[], onLookup: Options['onLookup'] = (finish) => finish()): void {
  const lookup = (_host: string, _options: object, done: Lookup): void =>
    onLookup(() => setImmediate(done, null, addresses));
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as never);
}

/** Starts a server that acts on each connection once it has received a complete request. */
export function hostThat(act: (socket: Socket) => void): Promise<Host> {
  return rawHost((socket) => {
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      const [head, body] = text.split('\r\n\r\n', 2);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head ?? '')?.[1] ?? 0);
      if (body !== undefined && body.length >= length) act(socket);
    });
  });
}

export const reset = (socket: Socket): void => void socket.resetAndDestroy();
export const close = (socket: Socket): void => void socket.end();
export const sendAndClose = (bytes: string | Buffer) => (socket: Socket) => void socket.end(bytes);
export const sendAndReset = (bytes: string) => (socket: Socket) =>
  void socket.write(bytes, () => setImmediate(() => reset(socket)));

/** The real client of a service at this address. */
export function serviceAt(baseUrl: URL, clock: Clock): Service {
  const send = createSend({ env: process.env, userAgent: 'run-pipeline/test', clock });
  return new Service({
    env: {},
    baseUrl,
    apiKey: API_KEY,
    clock,
    send,
    setSecret: () => undefined,
    debug: () => undefined,
  });
}

/** Triggers a run with a service that acts on the request. The exchange before it succeeds. */
export async function triggerAt(act: (socket: Socket) => void) {
  const api = await hostThat(act);
  const grant = JSON.stringify(bootstrap({ backend_url: at(api).href }));
  const app = await hostThat(sendAndClose(`${sized(grant.length)}${grant}`));
  const clock = new VirtualClock();
  const result = await make(serviceAt(at(app), clock), 'trigger');
  expect(clock.pending, 'timers left').toBe(0);
  return result;
}

/** Trusts a certificate until the test has finished. */
export function trust(cert: string): void {
  const usual = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...usual, cert]);
  onTestFinished(() => tls.setDefaultCACertificates(usual));
}
