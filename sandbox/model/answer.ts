import { arrive } from './arrive.ts';
import { authenticate } from './auth.ts';
import { type Call, effect } from './call.ts';
import { cancel } from './cancel.ts';
import { exchange } from './exchange.ts';
import { list } from './list.ts';
import { targetOf } from './query.ts';
import { listing, read } from './read.ts';
import { complain, Refused } from './respond.ts';
import { nowhere, routeOf } from './routes.ts';
import { type Arrival, type ModelEffect, occurs } from './rules.ts';
import { trigger } from './trigger.ts';
import type { ModelRequest, ModelResponse, World } from './types.ts';
import { notePatch, noteRead, violate } from './violations.ts';

/**
 * Returns the service's response to a request at a given time. Only this function queues and cancels runs, so a request
 * takes effect here even if no client ever receives the response. Never throws.
 * @param nowMs the time on the world's clock in ms, which must never decrease
 * @param arrival the numbers of the request, if it has already been counted
 */
export function answer(
  world: World,
  request: ModelRequest,
  nowMs: number,
  arrival: Arrival = arrive(world, request),
): ModelResponse {
  const effects = world.rules.filter((rule) => occurs(rule, arrival)).map((rule) => rule.how);
  const { parameters } = targetOf(request.path);
  const call: Call = { world, request, nowMs, arrival, parameters, effects };
  const other = effect(effects, 'answer');
  if (other !== undefined && other.commit !== true) {
    if (other.status !== 401) pace(call);
    return replace({ status: 200, headers: {}, body: '' }, other);
  }
  const right = refusable(call, () => route(call));
  return other === undefined ? right : replace(right, other);
}

function refusable(call: Call, act: () => ModelResponse): ModelResponse {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.clientsFault) violate(call.world, 'bad_request', call.nowMs, error.response.body);
    return error.response;
  }
}

function route(call: Call): ModelResponse {
  const { arrival, effects } = call;
  if (arrival.kind === 'other') return unknown(call);
  if (arrival.kind === 'exchange') return exchange(call);
  const workspaceId = authenticate(call);
  if (effect(effects, 'empty') !== undefined) {
    pace(call);
    return listing([]);
  }
  switch (arrival.kind) {
    case 'list':
      return list(call, workspaceId);
    case 'trigger':
      return trigger(call, workspaceId);
    case 'read':
      return read(call, workspaceId);
    case 'cancel':
      return cancel(call, workspaceId);
  }
}

/** Records reads and PATCHes of a run even if a rule replaces the response. */
function pace({ world, arrival, nowMs }: Call): void {
  const job = world.jobs.find(({ id }) => Object.hasOwn(arrival.subjects, id));
  if (job === undefined) return;
  if (arrival.kind === 'read') noteRead(world, job, nowMs);
  if (arrival.kind === 'cancel') notePatch(world, job, nowMs);
}

function replace(right: ModelResponse, other: Extract<ModelEffect, { do: 'answer' }>): ModelResponse {
  return {
    status: other.status ?? right.status,
    headers: other.headers ?? right.headers,
    body: other.body ?? right.body,
  };
}

function unknown({ world, request, nowMs }: Call): ModelResponse {
  const { path } = targetOf(request.path);
  const methods = routeOf(world, path);
  const what = `${request.method} ${path}`;
  if (methods === null) {
    violate(world, 'unknown_route', nowMs, what);
    return complain(404, nowhere(world, path));
  }
  violate(world, 'wrong_method', nowMs, what);
  const allow = Object.keys(methods).join(', ');
  return complain(405, { code: 'PGRST117', message: `Unsupported HTTP method: ${request.method}` }, { allow });
}
