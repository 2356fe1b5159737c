import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createWorld, SANDBOX_KEY } from '../model/index.ts';
import { adminAnswer, isAdminPath } from './admin.ts';
import { Connections } from './connections.ts';
import { deliver } from './deliver.ts';
import { Gates } from './gates.ts';
import { type HandlerParts, handle } from './handle.ts';
import { openDoor } from './listen.ts';
import { Moments } from './moments.ts';
import { receive } from './receive.ts';
import { addRule, type RuleBook } from './rules.ts';
import type { Sandbox, SandboxOptions } from './types.ts';

/** Starts the service on this machine. It misbehaves only as its rules require. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { prefix = '', admin = false, onEnd = () => undefined } = options;
  const now = options.now ?? monotonicNow();
  const world = options.world ?? createWorld({ epochMs: Date.now() - now(), basePath: prefix, ...options.model });
  const book: RuleBook = { model: world.rules, wire: [], connection: [] };
  for (const rule of options.rules ?? []) addRule(book, rule);
  const closing = new AbortController();
  const connections = new Connections();
  const parts: HandlerParts = {
    world,
    now,
    rules: book.wire,
    requests: [],
    moments: new Moments(),
    gates: new Gates(),
    connections,
    closing: closing.signal,
    onEnd,
  };
  const { moments, gates, requests } = parts;

  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const request = await receive(req);
    if (request === null) req.socket.destroy();
    else if (admin && isAdminPath(request.path)) deliver(res, adminAnswer(request, { ...parts, book }));
    else await handle(parts, request, req, res);
  };
  const http = makeServer(options, (req, res) => void serve(req, res));
  const door = await openDoor({
    http,
    connections,
    rules: book.connection,
    port: options.port ?? 0,
    hosts: options.ipv6 === true ? ['127.0.0.1', '::1'] : ['127.0.0.1'],
  });
  const scheme = options.tls === undefined ? 'http' : 'https';
  const origin = `${scheme}://127.0.0.1:${String(door.port)}`;
  if (options.world === undefined) world.backendUrl = options.model?.backendUrl ?? origin;

  return {
    url: `${origin}${prefix}`,
    url6: options.ipv6 === true ? `${scheme}://[::1]:${String(door.port)}${prefix}` : null,
    key: SANDBOX_KEY,
    world,
    requests,
    connections: () => connections.accepted,
    now,
    arrival: (kind, nth = 1) => moments.when('arrived', kind, nth),
    commit: (kind, nth = 1) => moments.when('committed', kind, nth),
    end: (kind, nth = 1) => moments.when('ended', kind, nth),
    misbehave: (rule) => addRule(book, rule),
    release: (kind, nth) => gates.release(kind, nth),
    away: () => door.shut(),
    back: () => door.open(),
    close: async () => {
      closing.abort();
      await door.shut();
    },
  };
}

function makeServer({ tls, keepAliveMs = 5_000 }: SandboxOptions, listener: RequestListener): Server {
  // A test may hold a request for any length of time.
  const untimed = { requestTimeout: 0, headersTimeout: 0 };
  const settings = { ...untimed, keepAliveTimeout: keepAliveMs, keepAliveTimeoutBuffer: 0 };
  if (tls === undefined) return createServer(settings, listener);
  return createSecureServer({ ...settings, ...tls }, listener);
}

function monotonicNow(): () => number {
  const start = performance.now();
  return () => performance.now() - start;
}
