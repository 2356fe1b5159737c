import type { Call } from './call.ts';
import { readUuid } from './ids.ts';
import { payloadOf } from './payload.ts';
import { badRequest, type Complaint } from './respond.ts';
import type { RunParameters } from './types.ts';

const FUNCTION = 'public.create_pipeline_run_job';
const KNOWN = ['p_pipeline_id', 'p_job_type', 'p_full_resync', 'p_reset_target'];

/** Parses the parameters of a trigger. Defaults apply to missing arguments, but not to null. */
export function parametersOf(call: Call): RunParameters {
  const body = payloadOf(call, {});
  const names = Object.keys(body);
  if (names.some((name) => !KNOWN.includes(name)) || !names.includes('p_pipeline_id')) {
    throw badRequest(unknownFunction(names), 404);
  }
  const { p_pipeline_id: given, p_job_type: type = 'pipeline_run' } = body;
  const id = typeof given === 'string' ? readUuid(given) : null;
  if (id === null) {
    const message = `invalid input syntax for type uuid: ${JSON.stringify(given)}`;
    throw badRequest({ code: '22P02', message });
  }
  if (type !== 'pipeline_run')
    throw badRequest({ code: 'P0001', message: `Unsupported job type: ${JSON.stringify(type)}` });
  const fullResync = flag(body, 'p_full_resync');
  const resetTarget = flag(body, 'p_reset_target');
  if (resetTarget && !fullResync) throw badRequest({ code: 'P0001', message: 'p_reset_target requires p_full_resync' });
  return { p_pipeline_id: id, p_job_type: type, p_full_resync: fullResync, p_reset_target: resetTarget };
}

function flag(body: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = body[name] === undefined ? false : body[name];
  if (typeof value === 'boolean') return value;
  throw badRequest({ code: '22P02', message: `invalid input syntax for type boolean: ${JSON.stringify(value)}` });
}

/** PostgREST finds functions by the names of their arguments, so it reports a wrong name as an unknown function. */
function unknownFunction(names: readonly string[]): Complaint {
  return {
    code: 'PGRST202',
    message: `Could not find the function ${FUNCTION}(${names.join(', ')}) in the schema cache`,
    hint: `Perhaps you meant to call the function ${FUNCTION}(${KNOWN.join(', ')})`,
  };
}
