import type { Call } from './call.ts';
import { cancelJob } from './job.ts';
import { payloadOf } from './payload.ts';
import { parseQuery, passes, project, type Query } from './query.ts';
import { jobsOf, listing } from './read.ts';
import { badRequest, complain, Refused } from './respond.ts';
import { distort, JOB_COLUMNS, rowOf } from './rows.ts';
import type { ModelResponse } from './types.ts';
import { notePatch, type ViolationKind, violate } from './violations.ts';

const CANCELLABLE = ['queued', 'picked', 'running'];

/** `PATCH jobs`: cancels runs in progress and returns the changed rows. */
export function cancel(call: Call, workspaceId: string): ModelResponse {
  const { world, request, nowMs, parameters } = call;
  const query = parseQuery(parameters, JOB_COLUMNS);
  const ids = requireFilters(call, query);
  const saysNothing = isEmptyBody(call);
  const jobs = jobsOf(world, workspaceId, ids);
  for (const job of jobs) notePatch(world, job, nowMs);
  const changed = jobs.filter((job) => {
    const row = rowOf(job, nowMs);
    return row !== null && !saysNothing && passes(row, query);
  });
  for (const job of changed) cancelJob(job, nowMs);
  if (!wantsRows(request.headers['prefer'])) return { status: 204, headers: {}, body: '' };
  const rows = changed.map((job) => rowOf(job, nowMs)).filter((row) => row !== null);
  const shown = distort(rows, call).map((row) => project(row, query));
  return listing(shown, { 'preference-applied': 'return=representation' });
}

/** Requires the id, and the precondition that prevents a client from overwriting a final status. */
function requireFilters(call: Call, { filters }: Query): readonly string[] {
  const ids = filters.get('id');
  if (ids === undefined) throw violated(call, 'cancel_without_id', 'id=eq.<job id>');
  const statuses = filters.get('job_status') ?? [];
  const exact = statuses.length === CANCELLABLE.length && CANCELLABLE.every((one) => statuses.includes(one));
  if (!exact) throw violated(call, 'cancel_without_precondition', `job_status=in.(${CANCELLABLE.join(',')})`);
  return ids;
}

/** Whether the body changes nothing. The only change that a body may request is to cancel the run. */
function isEmptyBody(call: Call): boolean {
  const body = payloadOf(call);
  const names = Object.keys(body);
  const unknown = names.find((name) => !JOB_COLUMNS.names.includes(name));
  if (unknown !== undefined) {
    const message = `Could not find the '${unknown}' column of 'jobs' in the schema cache`;
    throw badRequest({ code: 'PGRST204', message });
  }
  if (names.length === 0) {
    violate(call.world, 'bad_request', call.nowMs, 'an update that changes nothing');
    return true;
  }
  if (names.length === 1 && body['job_status'] === 'cancelled') return false;
  throw badRequest({ code: '42501', message: 'The only change allowed is job_status to cancelled' }, 403);
}

function violated(call: Call, kind: ViolationKind, wanted: string): Refused {
  violate(call.world, kind, call.nowMs, call.request.path);
  const hint = `Add the filter ${wanted}.`;
  return new Refused(complain(400, { code: '21000', message: 'UPDATE requires a precondition', hint }));
}

function wantsRows(prefer: string | undefined): boolean {
  return (prefer ?? '').split(',').some((one) => one.trim() === 'return=representation');
}
