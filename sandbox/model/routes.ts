import { targetOf } from './query.ts';
import type { CallKind, ModelRequest, World } from './types.ts';

type KnownKind = Exclude<CallKind, 'other'>;

/** Which methods a path takes, and which call each is; null if there is no such path. */
export function routeOf(world: World, path: string): Readonly<Record<string, KnownKind>> | null {
  const api = new URL(world.backendUrl).pathname.replace(/\/$/, '');
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

/** Which call a request is meant to be. */
export function kindOf(world: World, request: Pick<ModelRequest, 'method' | 'path'>): CallKind {
  return routeOf(world, targetOf(request.path).path)?.[request.method] ?? 'other';
}
