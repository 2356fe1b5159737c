import { type Call, effect } from './call.ts';
import { parseQuery, passes, project, type Row } from './query.ts';
import { json } from './respond.ts';
import { distort, JOB_COLUMNS, rowOf } from './rows.ts';
import type { Job, ModelResponse, World } from './types.ts';
import { noteRead, violate } from './violations.ts';

/** The maximum number of rows that the service returns. */
export const MAX_ROWS = 1_000;

/** `GET jobs`: returns the matching rows of the caller's workspace. Rows of other workspaces are invisible. */
export function read(call: Call, workspaceId: string): ModelResponse {
  const { world, nowMs, parameters, effects } = call;
  const query = parseQuery(parameters, JOB_COLUMNS);
  const ids = query.filters.get('id');
  if (ids === undefined) violate(world, 'read_without_id', nowMs, call.request.path);
  for (const job of jobsOf(world, workspaceId, ids)) noteRead(world, job, nowMs);
  const seenAt = nowMs - (effect(effects, 'lag')?.byMs ?? 0);
  const rows = jobsOf(world, workspaceId)
    .map((job) => rowOf(job, seenAt))
    .filter((row): row is Row => row !== null && passes(row, query));
  return listing(distort(rows, call).map((row) => project(row, query)));
}

/** Returns the jobs of a workspace, or only those with the given ids. */
export function jobsOf(world: World, workspaceId: string, ids?: readonly string[]): readonly Job[] {
  return world.jobs.filter((job) => job.workspaceId === workspaceId && (ids?.includes(job.id) ?? true));
}

/** Responds with rows as PostgREST does, and with their count in a header. */
export function listing(rows: readonly Row[], headers: ModelResponse['headers'] = {}): ModelResponse {
  const shown = rows.slice(0, MAX_ROWS);
  const range = shown.length === 0 ? '*/*' : `0-${String(shown.length - 1)}/*`;
  return json(200, shown, { 'content-range': range, ...headers });
}
