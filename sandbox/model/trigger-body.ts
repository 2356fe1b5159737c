import { isUuid } from './ids.ts';
import { badRequest, type Complaint } from './respond.ts';
import type { ModelRequest, RunParameters } from './types.ts';

const FUNCTION = 'public.create_pipeline_run_job';
const KNOWN = ['p_pipeline_id', 'p_job_type', 'p_full_resync', 'p_reset_target'];

/** Media type and JSON object of a body, or `Refused`. */
export function objectIn(request: ModelRequest): Readonly<Record<string, unknown>> {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw badRequest({ code: 'PGRST102', message: `Content-Type not acceptable: ${type}` }, 415);
  }
  let value: unknown;
  try {
    value = JSON.parse(request.body);
  } catch {
    throw badRequest({ code: 'PGRST102', message: 'Empty or invalid json' });
  }
  if (!isObject(value)) throw badRequest({ code: 'PGRST102', message: 'All object keys must match' });
  return value;
}

/** The run that is asked for, with the defaults of the interface. */
export function parametersOf(request: ModelRequest): RunParameters {
  const body = objectIn(request);
  const names = Object.keys(body);
  if (names.some((name) => !KNOWN.includes(name)) || !names.includes('p_pipeline_id')) {
    throw badRequest(unknownFunction(names), 404);
  }
  const id = body['p_pipeline_id'];
  if (typeof id !== 'string' || !isUuid(id)) {
    throw badRequest({ code: '22P02', message: `invalid input syntax for type uuid: ${JSON.stringify(id)}` });
  }
  const type = body['p_job_type'] ?? 'pipeline_run';
  if (type !== 'pipeline_run')
    throw badRequest({ code: 'P0001', message: `Unsupported job type: ${JSON.stringify(type)}` });
  const fullResync = flag(body, 'p_full_resync');
  const resetTarget = flag(body, 'p_reset_target');
  if (resetTarget && !fullResync)
    throw badRequest({ code: 'P0001', message: 'p_reset_target requires p_full_resync' });
  return {
    p_pipeline_id: id.toLowerCase(),
    p_job_type: type,
    p_full_resync: fullResync,
    p_reset_target: resetTarget,
  };
}

function flag(body: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = body[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw badRequest({
    code: '22P02',
    message: `invalid input syntax for type boolean: ${JSON.stringify(value)}`,
  });
}

/** PostgREST finds functions by the names of their arguments: a wrong one is a function that is not there. */
function unknownFunction(names: readonly string[]): Complaint {
  return {
    code: 'PGRST202',
    message: `Could not find the function ${FUNCTION}(${names.join(', ')}) in the schema cache`,
    hint: `Perhaps you meant to call the function ${FUNCTION}(${KNOWN.join(', ')})`,
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
