// A client of the service whose network is a function that receives each request and returns its result.
import { Service, type ServiceParts } from '../../../src/service/api.ts';
import type { Answer, Answered, HttpRequest, Limits, Send, Unanswered } from '../../../src/service/send.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export const API_KEY = 'ak_0123456789abcdef';
export const JOB = '5f0b5e7e-6c1d-4f0e-9b1a-2d3c4b5a6978';
export const PIPELINE = '0c9d4a52-7b1e-4a86-8f63-1e2d3c4b5a69';
export const ORDER = { pipelineId: PIPELINE, fullResync: false, resetTarget: false };

export const CALLS = ['exchange', 'list', 'trigger', 'read', 'cancel'] as const;
export type Call = (typeof CALLS)[number];

/** A complete response. Anything but a string is sent as JSON. */
export function answered(status: number, body: unknown = '', more: Partial<Answered> = {}): Answered {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'answered', status, headers: {}, text, body: 'complete', ...more };
}

export function page(status: number): Answered {
  return answered(status, '<!doctype html><title>Sign in</title>', { headers: { 'content-type': 'text/html' } });
}

export function unanswered(connected: boolean, code: string, message = ''): Unanswered {
  return { kind: 'unanswered', connected, code, message };
}

export function bootstrap(fields: object = {}): object {
  return {
    token: 'api-token-1',
    backend_url: 'https://api.example.test',
    backend_anon_key: 'anon-key',
    region: 'eu',
    ttl_seconds: 3_600,
    expires_at: '2026-01-05T13:00:00Z',
    ...fields,
  };
}

export function row(fields: object = {}): object {
  return { id: JOB, job_status: 'running', status_message: null, ...fields };
}

export interface Sent extends HttpRequest {
  readonly limits: Limits;
  readonly call: Call;
  /** Its number among the requests of its call, from 1. */
  readonly nth: number;
}

/** Answers a request. Undefined means the healthy response. */
export type Network = (sent: Sent) => Answer | undefined | Promise<Answer | undefined>;

export function client(
  network: Network = () => undefined,
  apiKey = API_KEY,
  parts: Partial<ServiceParts> = { isFirstRejectionFinal: true },
) {
  const clock = new VirtualClock();
  const requests: Sent[] = [];
  const masked: string[] = [];
  const lines: string[] = [];
  const send: Send = async (request, limits) => {
    const call = callOf(request);
    const sent = { ...request, limits, call, nth: requests.filter((each) => each.call === call).length + 1 };
    requests.push(sent);
    return (await network(sent)) ?? healthy(sent);
  };
  const service = new Service({
    baseUrl: new URL('https://app.example.test'),
    apiKey,
    send,
    clock,
    env: {},
    setSecret: (secret) => masked.push(secret),
    debug: (line) => lines.push(line),
    ...parts,
  });
  return { service, clock, requests, masked, lines };
}

/** A client whose calls of one kind get no response before `release`. Reads and cancels find no run. */
export function clientThatHolds(held: Call) {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const all = client(async ({ call }) => {
    if (call === held) await promise;
    return answered(200, call === 'exchange' ? bootstrap() : []);
  });
  return { ...all, release: () => resolve(undefined) };
}

function callOf({ method, url }: HttpRequest): Call {
  if (method === 'PATCH') return 'cancel';
  if (method === 'POST') return url.pathname.endsWith('/bootstrap') ? 'exchange' : 'trigger';
  return url.pathname.endsWith('/jobs') ? 'read' : 'list';
}

function healthy({ call, nth }: Sent): Answer {
  switch (call) {
    case 'exchange':
      return answered(200, bootstrap({ token: `api-token-${nth}` }));
    case 'list':
      return answered(200, [{ pipeline_id: PIPELINE, pipeline_name: 'Orders', pipeline_api_name: 'orders' }]);
    case 'trigger':
      return answered(200, JSON.stringify(JOB));
    case 'read':
      return answered(200, [row()]);
    case 'cancel':
      return answered(200, [row({ job_status: 'cancelled' })]);
  }
}

/** Makes a call by its name. */
export function make(service: Service, call: Call) {
  switch (call) {
    case 'exchange':
      return service.exchange();
    case 'list':
      return service.list();
    case 'trigger':
      return service.trigger(ORDER, { beforeSend: () => undefined, signal: new AbortController().signal });
    case 'read':
      return service.read(JOB);
    case 'cancel':
      return service.cancel(JOB);
  }
}
