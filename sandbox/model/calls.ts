/** The five calls of the service. */
import type { CallKind, ServiceEffect } from '../faults.ts';
import {
  badRequest,
  errorResponse,
  filtered,
  json,
  listing,
  type ModelRequest,
  type ModelResponse,
  parseObject,
  parseQuery,
  projected,
  type Query,
  Rejection,
  type Row,
  requireUuid,
  type Table,
} from './postgrest.ts';
import { queueRun, stateAt } from './runs.ts';
import { type ApiKey, type Job, newDigits, type RunParameters, violate, type World } from './world.ts';

/** One request while the model handles it. */
export interface Call {
  readonly world: World;
  readonly kind: CallKind;
  readonly request: ModelRequest;
  readonly parameters: URLSearchParams;
  readonly nowMs: number;
  /** How the service misbehaves, if it does. */
  readonly effect: ServiceEffect | undefined;
}

/** Returns the effect if it has this name. */
export function effectOf<Name extends ServiceEffect['do']>({ effect }: Pick<Call, 'effect'>, name: Name) {
  return effect?.do === name ? (effect as Extract<ServiceEffect, { readonly do: Name }>) : undefined;
}

/** Returns the token in an `Authorization: Bearer` header. */
export function bearerOf({ headers }: ModelRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1];
}

/** Returns the id of the run that a request is about. Only an `eq.` filter counts. */
export function runIdOf({ parameters }: Pick<Call, 'parameters'>): string | undefined {
  return /^eq\.(.*)$/.exec(parameters.get('id') ?? '')?.[1];
}

/** Exchanges a key for a token. The form of a rejection is unspecified, except that it contains no usable token. */
export function exchange({ world, request, nowMs }: Call): ModelResponse {
  if (request.body !== '') violate(world, 'exchange_with_body', nowMs, `${request.body.length} characters`);
  const value = bearerOf(request);
  const isLegacy = value?.startsWith('eyJ') === true;
  if (isLegacy) violate(world, 'legacy_key', nowMs, 'a legacy key reached the exchange');
  const key = world.keys.find((one) => one.value === value);
  if (key === undefined || key.revoked) {
    const what = isLegacy ? 'Legacy API keys are not accepted here' : 'Invalid API key';
    const message = key === undefined ? what : 'This API key was revoked';
    return json(401, { error: 'unauthorized', message });
  }
  const token = `at_${newDigits(world).slice(0, 40)}`;
  const expiresAt = nowMs + world.ttlSeconds * 1_000;
  world.tokens.push({ value: token, key, expiresAt });
  return json(200, {
    token,
    backend_url: world.backendUrl,
    backend_anon_key: world.anonKey,
    region: 'eu-1',
    ttl_seconds: world.ttlSeconds,
    expires_at: new Date(world.epochMs + expiresAt).toISOString(),
  });
}

const PIPELINES: Table = {
  name: 'pipelines_and_datasources',
  columns: ['pipeline_id', 'pipeline_name', 'pipeline_api_name'],
  uuids: ['pipeline_id'],
};

/** `GET pipelines_and_datasources`: returns the pipelines in the key's workspace. */
export function list(call: Call, { workspaceId }: ApiKey): ModelResponse {
  const { world, parameters } = call;
  const query = parseQuery(parameters, PIPELINES);
  const own = world.pipelines.filter((pipeline) => pipeline.workspaceId === workspaceId);
  const rows = own.flatMap(({ id, name, apiName, rows: count }) =>
    Array.from({ length: count }, (): Row => ({ pipeline_id: id, pipeline_name: name, pipeline_api_name: apiName })),
  );
  return listing(projected(pageOf(rows, query, call), query), { limit: query.limit, cap: world.cap });
}

/** Applies the effect that makes a page wrong. A request without an order asks for the whole list. */
function pageOf(rows: readonly Row[], query: Query, call: Call): readonly Row[] {
  const wrong = query.order === undefined ? undefined : effectOf(call, 'page')?.is;
  if (wrong === 'reversed') return filtered(rows, query).toReversed();
  if (wrong === 'the first') return filtered(rows, { ...query, bounds: new Map() });
  if (wrong === 'empty' && query.bounds.size === 0) return [];
  return filtered(rows, query);
}

/** `create_pipeline_run_job`: checks the request and then queues exactly one run. */
export function trigger(call: Call, { workspaceId }: ApiKey): ModelResponse {
  const { world, nowMs } = call;
  const parameters = parametersOf(call);
  const pipeline = world.pipelines.find(
    ({ id, workspaceId: owner }) => id === parameters.p_pipeline_id && owner === workspaceId,
  );
  // The database function raises these errors because of the pipeline, not because of a wrong request.
  if (pipeline === undefined) throw new Rejection(errorResponse(400, 'P0001', 'Pipeline not found or not accessible'));
  if (!pipeline.active) {
    throw new Rejection(errorResponse(400, 'P0001', `Pipeline "${pipeline.name}" is not active`));
  }
  const workspace = world.workspaces.find(({ id }) => id === workspaceId);
  const credits = workspace?.credits ?? 'unlimited';
  const isBroke = credits === 0 || world.scenarios[pipeline.scenario]?.outOfCredits === true;
  if (isBroke || effectOf(call, 'null') !== undefined) return json(200, null);
  const [known] = world.jobs.slice(-1);
  if (effectOf(call, 'known-id') !== undefined && known !== undefined) return json(200, known.id);
  if (workspace !== undefined && credits !== 'unlimited') workspace.credits = credits - 1;
  return json(200, queueRun(world, pipeline, parameters, nowMs).id);
}

const PARAMETERS = ['p_pipeline_id', 'p_job_type', 'p_full_resync', 'p_reset_target'];

/** Parses a trigger's parameters. Defaults apply to missing parameters, but not to null. */
function parametersOf({ request }: Call): RunParameters {
  const body = parseObject(request);
  const names = Object.keys(body);
  // PostgREST finds functions by the names of their parameters, so it reports a wrong name as an unknown function.
  if (names.some((name) => !PARAMETERS.includes(name)) || !names.includes('p_pipeline_id')) {
    throw badRequest('PGRST202', `Could not find the function create_pipeline_run_job(${names.join(', ')})`, 404);
  }
  const { p_job_type: type = 'pipeline_run', p_full_resync: full = false, p_reset_target: reset = false } = body;
  const id = requireUuid(body['p_pipeline_id']);
  if (type !== 'pipeline_run') throw badRequest('P0001', `Unsupported job type: ${JSON.stringify(type)}`);
  if (typeof full !== 'boolean' || typeof reset !== 'boolean') {
    throw badRequest('22P02', 'invalid input syntax for type boolean');
  }
  if (reset && !full) throw badRequest('P0001', 'p_reset_target requires p_full_resync');
  return { p_pipeline_id: id, p_job_type: type, p_full_resync: full, p_reset_target: reset };
}

const JOBS: Table = { name: 'jobs', columns: ['id', 'job_status', 'status_message'], uuids: ['id'] };

/** `GET jobs`: returns the matching rows in the caller's workspace. Rows in other workspaces are invisible. */
export function read(call: Call, key: ApiKey): ModelResponse {
  const { world, nowMs, parameters, request } = call;
  const query = parseQuery(parameters, JOBS);
  if (runIdOf(call) === undefined) violate(world, 'read_without_id', nowMs, request.path);
  const seenAt = nowMs - (effectOf(call, 'lag')?.byMs ?? 0);
  const rows = jobsOf(world, key).flatMap((job) => rowsOf(job, seenAt));
  return listing(projected(distorted(filtered(rows, query), call), query));
}

const CANCELLABLE = ['queued', 'picked', 'running'];

/** `PATCH jobs`: cancels unfinished runs and returns the changed rows. */
export function cancel(call: Call, key: ApiKey): ModelResponse {
  const { world, nowMs, parameters, request } = call;
  const query = parseQuery(parameters, JOBS);
  requirePrecondition(call, query);
  const body = parseObject(request);
  if (body['job_status'] !== 'cancelled' || Object.keys(body).length !== 1) {
    throw badRequest('42501', 'The only change allowed is job_status to cancelled', 403);
  }
  const changed = jobsOf(world, key).filter((job) => filtered(rowsOf(job, nowMs), query).length > 0);
  for (const job of changed) job.cancelledAt = nowMs;
  const wishes = (request.headers['prefer'] ?? '').split(',').map((one) => one.trim());
  if (!wishes.includes('return=representation')) return { status: 204, headers: {}, body: '' };
  const rows = changed.flatMap((job) => rowsOf(job, nowMs));
  const headers = { 'preference-applied': 'return=representation' };
  return listing(projected(distorted(rows, call), query), { headers });
}

/** Requires the id, and the precondition that keeps a client from overwriting a final status. */
function requirePrecondition(call: Call, { filters }: Query): void {
  const { world, nowMs, request } = call;
  const statuses = filters.get('job_status') ?? [];
  const isComplete = [...statuses].sort().join() === [...CANCELLABLE].sort().join();
  const hasId = runIdOf(call) !== undefined;
  if (hasId && isComplete) return;
  violate(world, hasId ? 'cancel_without_precondition' : 'cancel_without_id', nowMs, request.path);
  throw new Rejection(errorResponse(400, '21000', 'UPDATE requires the id and all statuses in progress'));
}

function jobsOf({ jobs }: World, { workspaceId }: ApiKey): readonly Job[] {
  return jobs.filter((job) => job.workspaceId === workspaceId);
}

/** Returns the run's row at a given time, or nothing before the run exists. */
function rowsOf(job: Job, atMs: number): readonly Row[] {
  const state = stateAt(job, atMs);
  return state === null ? [] : [{ id: job.id, job_status: state.status, status_message: state.message }];
}

/** The row that the `foreign-row` effect returns. No world contains this run. */
const FOREIGN_ROW: Row = { id: 'f2aaa891-c3a0-4c92-b788-0b4bc8d4362b', job_status: 'completed', status_message: null };

/** Applies the effects that change rows. */
function distorted(rows: readonly Row[], call: Call): readonly Row[] {
  if (effectOf(call, 'foreign-row') !== undefined) return [FOREIGN_ROW];
  const status = effectOf(call, 'status');
  const changes = status && { job_status: status.status, status_message: status.message ?? null };
  return rows.map((row) => ({ ...row, ...changes }));
}
