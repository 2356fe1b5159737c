import { targetOf } from './query.ts';
import type { Complaint } from './respond.ts';
import type { CallKind, ModelRequest, World } from './types.ts';

type KnownKind = Exclude<CallKind, 'other'>;

/** Returns the error for an unknown path. Under the API's path, the error names the unknown table or function. */
export function nowhere(world: World, path: string): Complaint {
  const data = `${apiOf(world)}/rest/v1/`;
  const name = path.startsWith(data) ? path.slice(data.length) : '';
  const [, called] = /^rpc\/([^/]+)$/.exec(name) ?? [];
  if (called !== undefined) {
    return { code: 'PGRST202', message: `Could not find the function public.${called} in the schema cache` };
  }
  if (/^[^/]+$/.test(name)) {
    return { code: 'PGRST205', message: `Could not find the table 'public.${name}' in the schema cache` };
  }
  return { code: 'PGRST125', message: `Invalid path: ${path}` };
}

/** Returns the calls of a path by method, or null if the path is unknown. */
export function routeOf(world: World, path: string): Readonly<Record<string, KnownKind>> | null {
  const api = apiOf(world);
  switch (path) {
    case `${world.basePath}/api/cli/bootstrap`:
      return { POST: 'exchange' };
    case `${api}/rest/v1/rpc/create_pipeline_run_job`:
      return { POST: 'trigger' };
    case `${api}/rest/v1/jobs`:
      return { GET: 'read', PATCH: 'cancel' };
    case `${api}/rest/v1/pipelines_and_datasources`:
      return { GET: 'list' };
    default:
      return null;
  }
}

/** Returns the call that a request makes. */
export function kindOf(world: World, request: Pick<ModelRequest, 'method' | 'path'>): CallKind {
  return routeOf(world, targetOf(request.path).path)?.[request.method] ?? 'other';
}

/** Returns the path prefix of the data calls. */
function apiOf(world: World): string {
  return new URL(world.backendUrl).pathname.replace(/\/$/, '');
}
