/** How the service handles a request: its call, its credentials and the response. */
import type { CallKind, ServiceEffect } from '../faults.ts';
import { bearerOf, type Call, cancel, effectOf, exchange, list, read, runIdOf, trigger } from './calls.ts';
import {
  badRequest,
  errorResponse,
  json,
  listing,
  type ModelRequest,
  type ModelResponse,
  Rejection,
  targetOf,
} from './postgrest.ts';
import { notePatch, noteRead } from './runs.ts';
import { type ApiKey, violate, type World } from './world.ts';

/** Returns a path's calls by method, or undefined if the path is unknown. */
function routesOf(world: World, path: string): Readonly<Record<string, CallKind>> | undefined {
  const data = `${new URL(world.backendUrl).pathname.replace(/\/$/, '')}/rest/v1`;
  const routes: Readonly<Record<string, Readonly<Record<string, CallKind>>>> = {
    [`${world.basePath}/api/cli/bootstrap`]: { POST: 'exchange' },
    [`${data}/rpc/create_pipeline_run_job`]: { POST: 'trigger' },
    [`${data}/jobs`]: { GET: 'read', PATCH: 'cancel' },
    [`${data}/pipelines_and_datasources`]: { GET: 'list' },
  };
  return Object.hasOwn(routes, path) ? routes[path] : undefined;
}

/** Returns the call that a request makes. */
export function kindOf(world: World, { method, path }: Pick<ModelRequest, 'method' | 'path'>): CallKind {
  return routesOf(world, targetOf(path).path)?.[method] ?? 'other';
}

/** Returns the API name of the pipeline that a request is about: one to trigger, or that of a run. */
export function aboutOf(world: World, { path, body }: Pick<ModelRequest, 'path' | 'body'>): string | undefined {
  const runId = runIdOf(targetOf(path));
  const pipelineId =
    runId === undefined
      ? /"p_pipeline_id":"([^"]*)"/.exec(body)?.[1]
      : world.jobs.find(({ id }) => id === runId)?.pipelineId;
  return world.pipelines.find(({ id }) => id === pipelineId)?.apiName ?? undefined;
}

/** A request's call, and its number among the requests with this call, counted from 1. */
export interface Arrival {
  readonly kind: CallKind;
  readonly nth: number;
}

/** Counts a request. A server calls this function when a request arrives. Without a server, `answer` calls it. */
export function arrive(world: World, request: ModelRequest): Arrival {
  const kind = kindOf(world, request);
  const nth = (world.counts[kind] ?? 0) + 1;
  world.counts[kind] = nth;
  return { kind, nth };
}

/**
 * Returns the service's response to a request at a given time. Only this function queues and cancels runs, so a request
 * takes effect here even if no client ever receives the response. Never throws.
 * @param nowMs the time on the world's clock in ms, which must never decrease
 * @param effect how the service misbehaves, if it does
 * @param arrival the number of the request, if it has already been counted
 */
export function answer(
  world: World,
  request: ModelRequest,
  nowMs: number,
  effect?: ServiceEffect,
  arrival: Arrival = arrive(world, request),
): ModelResponse {
  const { parameters } = targetOf(request.path);
  const call: Call = { world, kind: arrival.kind, request, parameters, nowMs, effect };
  try {
    return route(call);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    if (error.isClientsFault) violate(world, 'bad_request', nowMs, error.message);
    return error.response;
  }
}

function route(call: Call): ModelResponse {
  const { kind, request, world, nowMs } = call;
  if (kind === 'other') return unknown(call);
  if (kind === 'exchange') return exchange(call);
  const key = authenticate(call);
  notePace(call);
  if (effectOf(call, 'empty') !== undefined) return listing([]);
  if ((kind === 'trigger' || kind === 'cancel') && request.headers['content-type'] === undefined) {
    violate(world, 'no_media_type', nowMs, `${request.method} ${request.path}`);
  }
  return { list, trigger, read, cancel }[kind](call, key);
}

/** Notes the time of a read or a PATCH of a run, even if a fault replaces the response. */
function notePace(call: Call): void {
  const { world, kind, nowMs } = call;
  const job = world.jobs.find(({ id }) => id === runIdOf(call));
  if (job === undefined) return;
  if (kind === 'read') noteRead(world, job, nowMs);
  if (kind === 'cancel') notePatch(job);
}

/** Returns the key behind a request's token. @throws `Rejection` (401) if the credentials are invalid */
function authenticate(call: Call): ApiKey {
  const { world, request, nowMs } = call;
  requireAnonKey(call);
  const value = bearerOf(request);
  if (value === undefined) {
    violate(world, 'missing_bearer', nowMs, request.path);
    throw unauthorized('PGRST302', 'Anonymous access is disabled');
  }
  const token = world.tokens.find((one) => one.value === value);
  if (token === undefined) {
    violate(world, 'unknown_token', nowMs, request.path);
    throw unauthorized('PGRST301', 'No suitable key or wrong key type');
  }
  if (nowMs >= token.expiresAt) throw unauthorized('PGRST303', 'JWT expired');
  if (token.key.revoked) throw unauthorized('PGRST301', 'The API key behind this token was revoked');
  return token.key;
}

/** The gateway in front of PostgREST checks the `apikey` header first, and its errors have their own format. */
function requireAnonKey({ world, request, nowMs }: Call): void {
  const given = request.headers['apikey'] ?? '';
  if (given === world.anonKey) return;
  violate(world, given === '' ? 'missing_apikey' : 'wrong_apikey', nowMs, `${request.method} ${request.path}`);
  throw new Rejection(json(401, { message: given === '' ? 'No API key found' : 'Unknown API key', hint: null }));
}

function unauthorized(code: string, message: string): Rejection {
  const challenge = { 'www-authenticate': `Bearer error="invalid_token", error_description="${message}"` };
  return new Rejection(errorResponse(401, code, message, challenge));
}

function unknown({ world, request, nowMs }: Call): ModelResponse {
  const { path } = targetOf(request.path);
  const methods = routesOf(world, path);
  violate(world, methods === undefined ? 'unknown_route' : 'wrong_method', nowMs, `${request.method} ${path}`);
  if (methods === undefined) return badRequest('PGRST125', `Invalid path: ${path}`, 404).response;
  const allow = Object.keys(methods).join(', ');
  return errorResponse(405, 'PGRST117', `Unsupported HTTP method: ${request.method}`, { allow });
}
