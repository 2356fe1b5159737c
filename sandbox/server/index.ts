/** Serves the model of the service on a local port. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallKind,
  type Effect,
  effectOf,
  FaultPlan,
  misbehaviorWith,
  processedWith,
  type Reply,
  type RequestFault,
} from '../faults.ts';
import {
  aboutOf,
  answer,
  arrive,
  createWorld,
  type ModelRequest,
  type ModelResponse,
  SANDBOX_KEY,
  stateAt,
  type World,
  type WorldOptions,
} from '../model/index.ts';

/** The server's record of a request, which it completes step by step. Times are in ms on the sandbox's clock. */
export interface RequestRecord extends ModelRequest {
  readonly at: number;
  readonly kind: CallKind;
  /** Its number among the requests of its kind, counted from 1. */
  readonly nth: number;
  /** The status of the response, or null if no response was sent or the client had disconnected. */
  answeredStatus: number | null;
  endedAt: number | null;
}

export interface SandboxOptions {
  /** The port. The default 0 selects any free port. */
  readonly port?: number;
  /** The loopback address, by default 127.0.0.1. */
  readonly host?: '127.0.0.1' | '::1';
  /** A certificate and its private key as PEM. If they are set, the sandbox uses HTTPS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly model?: WorldOptions;
  /** Times count from the start of the sandbox. Requests are counted across all processes. */
  readonly faults?: readonly RequestFault[];
  /** Called with each request when the request ends. */
  readonly onEnd?: (record: RequestRecord) => void;
}

export interface Sandbox {
  /** The base URL with the world's base path, but without a slash at the end. */
  readonly url: string;
  /** A valid API key. */
  readonly key: string;
  readonly world: World;
  readonly requests: readonly RequestRecord[];
  /** The time in ms since the sandbox started. */
  readonly now: () => number;
  /** Resolves with the nth request of a kind, by default the first, once all of it has arrived. */
  readonly arrival: (kind: CallKind, nth?: number) => Promise<RequestRecord>;
  /** Like `arrival`, but resolves once the request has taken effect, before any byte of the response is sent. */
  readonly commit: (kind: CallKind, nth?: number) => Promise<RequestRecord>;
  /** Like `arrival`, but resolves once the request has ended with a response or because the client disconnected. */
  readonly end: (kind: CallKind, nth?: number) => Promise<RequestRecord>;
  /** Releases the nth request of a kind, by default the first, even before it is held. */
  readonly release: (kind: CallKind, nth?: number) => void;
  /** Drops every connection and refuses new ones (ECONNREFUSED). */
  readonly away: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Promises for moments in the life of each request, so that tests need not sleep. */
class Moments<Value> {
  readonly #all = new Map<string, PromiseWithResolvers<Value>>();

  /** Returns the promise for a moment, past or future, of the nth request of a kind. */
  of(moment: string, kind: CallKind, nth: number): PromiseWithResolvers<Value> {
    const name = `${moment} ${kind} ${nth}`;
    const promise = this.#all.get(name) ?? Promise.withResolvers<Value>();
    this.#all.set(name, promise);
    return promise;
  }
}

/** The path of the runs, requests and violations as JSON, for other processes. Requests for it are not recorded. */
const STATE_PATH = '/_sandbox/state';

/** Starts the service on this machine. It misbehaves only as its faults require. @throws for a fault that no server can have */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { tls, host = '127.0.0.1', onEnd = () => undefined } = options;
  const startedAt = performance.now();
  const now = (): number => performance.now() - startedAt;
  const { faults = [] } = options;
  for (const fault of faults) requirePlayable(fault);
  const plan = new FaultPlan(faults);
  const world = createWorld({ epochMs: Date.now(), ...options.model });
  const requests: RequestRecord[] = [];
  const moments = new Moments<RequestRecord>();
  const releases = new Moments<void>();
  let isClosed = false;

  const handle = async (request: ModelRequest, res: ServerResponse): Promise<void> => {
    const arrival = arrive(world, request);
    const { kind, nth } = arrival;
    const record: RequestRecord = { ...request, ...arrival, at: now(), answeredStatus: null, endedAt: null };
    requests.push(record);
    res.once('close', () => {
      record.endedAt = now();
      moments.of('ended', kind, nth).resolve(record);
      onEnd(record);
    });
    const fault = plan.ofRequest({ call: kind, about: aboutOf(world, request), atMs: record.at });
    const { holds, response } = fault === undefined ? NO_EFFECT : effectOf(fault);
    /** Holds the request at a point, if the fault says so. Returns whether the request continues. */
    const passes = async (point: typeof holds): Promise<boolean> => {
      if (holds === point) await releases.of('released', kind, nth).promise;
      return !isClosed;
    };
    moments.of('arrived', kind, nth).resolve(record);
    if (!(await passes('request'))) return;
    // The client may have disconnected. A real service does not notice, so a request that it has read takes effect.
    const processed = processedWith(fault);
    const commit = (): ModelResponse => {
      const right = answer(world, request, now(), misbehaviorWith(fault, nth - 1), arrival);
      moments.of('committed', kind, nth).resolve(record);
      return right;
    };
    const right = processed === 'yes' ? commit() : undefined;
    if (processed === 'late') void res.once('close', commit);
    if (!(await passes('response'))) return;
    if (response === 'slow') await sleep(fault?.ms);
    const reply = replyOf(response, right, nth - 1);
    if (reply === 'none' || isClosed) return;
    if (reply === 'reset') {
      res.socket?.resetAndDestroy();
      return;
    }
    if (!res.destroyed) record.answeredStatus = reply.status;
    send(res, reply);
  };
  const door = await openDoor(options, (req, res) => {
    void receive(req).then((request) => {
      if (request?.path === STATE_PATH) send(res, { ...stateOf(world, requests, now()), end: 'complete' });
      else if (request !== null) void handle(request, res);
    });
  });
  const origin = `${tls === undefined ? 'http' : 'https'}://${host === '::1' ? '[::1]' : host}:${door.port}`;
  world.backendUrl = options.model?.backendUrl ?? origin;

  return {
    url: `${origin}${world.basePath}`,
    key: SANDBOX_KEY,
    world,
    requests,
    now,
    arrival: (kind, nth = 1) => moments.of('arrived', kind, nth).promise,
    commit: (kind, nth = 1) => moments.of('committed', kind, nth).promise,
    end: (kind, nth = 1) => moments.of('ended', kind, nth).promise,
    release: (kind, nth = 1) => releases.of('released', kind, nth).resolve(),
    away: door.shut,
    close: () => {
      isClosed = true;
      return door.shut();
    },
  };
}

/** Listens on a port until a call to `shut`, which also drops the open connections. */
async function openDoor({ tls, port = 0, host = '127.0.0.1' }: SandboxOptions, listener: RequestListener) {
  // A test can hold a request for any length of time.
  const untimed = { requestTimeout: 0, headersTimeout: 0 };
  const server: Server =
    tls === undefined ? createServer(untimed, listener) : createSecureServer({ ...untimed, ...tls }, listener);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  const shut = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port: (server.address() as AddressInfo).port, shut };
}

/** Reads the whole request. Returns null if the client disconnects. */
async function receive(req: IncomingMessage): Promise<ModelRequest | null> {
  const bytes = await buffer(req).catch(() => null);
  if (bytes === null) return null;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(req.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { method: req.method ?? 'GET', path: req.url ?? '/', headers, body: bytes.toString() };
}

const NO_EFFECT: Pick<Effect, 'holds' | 'response'> = {};

/** A connection that a server has accepted is established and does not reveal which process opened it. */
function requirePlayable(fault: RequestFault): void {
  if (fault.on !== undefined) throw new Error('The sandbox cannot distinguish the requests of main and post.');
  if (effectOf(fault).connect !== undefined) {
    throw new Error(`The sandbox cannot play ${JSON.stringify(fault.what)}. Use away() to refuse connections.`);
  }
}

/** Returns what the client receives: a reply, a lost connection, or nothing. */
function replyOf(
  response: Effect['response'],
  right: ModelResponse | undefined,
  choice: number,
): Sent | 'none' | 'reset' {
  if (Array.isArray(response)) {
    const { headers = {}, status, text: body = '', body: end = 'complete' }: Reply = response[choice % response.length];
    return { status, headers, body, end };
  }
  if (response !== undefined && typeof response === 'object') return 'reset';
  if (response === 'none' || right === undefined) return 'none';
  if (response !== 'cut off' && response !== 'stalled') return { ...right, end: 'complete' };
  return { ...right, body: right.body.slice(0, right.body.length / 2), end: response };
}

interface Sent extends ModelResponse {
  readonly end: NonNullable<Reply['body']>;
}

/** Sends a response. Part of a body, or too much of it, announces more than it has. */
function send(res: ServerResponse, { status, headers, body, end }: Sent): void {
  const bytes = Buffer.byteLength(body) + (end === 'complete' ? 0 : TOO_MUCH);
  res.writeHead(status, { ...headers, ...(status !== 204 && { 'content-length': String(bytes) }) });
  if (end === 'complete') res.end(body);
  else if (end === 'cut off') res.write(body, () => res.destroy());
  else res.write(end === 'too large' ? body + ' '.repeat(TOO_MUCH) : body);
}

/** More bytes than any client accepts. */
const TOO_MUCH = 8 * 1_048_576;

function stateOf(world: World, requests: readonly RequestRecord[], at: number): ModelResponse {
  const runs = world.jobs.map((job) => {
    const pipeline = world.pipelines.find(({ id }) => id === job.pipelineId)?.apiName ?? null;
    return { ...job, pipeline, ...stateAt(job, at) };
  });
  const body = JSON.stringify({ now: at, runs, requests, violations: world.violations });
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}
